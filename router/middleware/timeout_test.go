package middleware

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// never is a time that no test waits for.
const never = time.Hour

// soon is over before a handler ends that waits for the test.
const soon = time.Millisecond

func TestTimeoutIsNotSeenByAHandlerThatIsInTime(t *testing.T) {
	m := compile(t, func(table *router.Table) {
		table.Logger = slog.New(slog.DiscardHandler)
		g := table.Group("", Timeout(TimeoutConfig{After: never}))
		g.Get("/notes/{id}", func(c *router.Ctx) error { return c.Text(201, c.Param("id")) })
		g.Get("/gone", func(*router.Ctx) error { return router.NewProblem(410, "") })
		g.Get("/panics", func(*router.Ctx) error { panic("here") })
	})
	if ctx := ask(m, "GET", "/notes/7"); ctx.Response.StatusCode() != 201 || string(ctx.Response.Body()) != "7" {
		t.Errorf("status %d, body %q", ctx.Response.StatusCode(), ctx.Response.Body())
	}
	problem(t, &ask(m, "GET", "/gone").Response, 410)
	problem(t, &ask(m, "GET", "/panics").Response, 500)
}

func TestTimeoutLogsAPanicWithTheHandlersStack(t *testing.T) {
	var out bytes.Buffer
	m := compile(t, func(table *router.Table) {
		table.Logger = slog.New(slog.NewTextHandler(&out, nil))
		table.Get("/", panicsHere, Timeout(TimeoutConfig{After: never}))
	})
	ask(m, "GET", "/")
	if !strings.Contains(out.String(), "panicsHere") {
		t.Errorf("the log does not say where it was: %s", out.String())
	}
}

func panicsHere(*router.Ctx) error { panic("here") }

// stuck is a handler that waits for the test, and then says what it sees in its Ctx and answers.
type stuck struct {
	began, release chan struct{}
	saw            chan string
}

func newStuck() *stuck {
	return &stuck{began: make(chan struct{}, 100), release: make(chan struct{}), saw: make(chan string, 100)}
}

func (s *stuck) handle(c *router.Ctx) error {
	s.began <- struct{}{}
	<-s.release
	s.saw <- fmt.Sprintf("%s %s %s %s", c.Method(), c.Path(), c.Param("id"), c.PostBody())
	c.Response.Header.Set("X-Late", "yes")
	return c.Text(200, "too late")
}

// The context of a handler that overran belongs to it until it returns: requests that follow on the
// same connection are not seen by it, and what it writes is not seen by them. Under the race
// detector this also shows that nobody else touches it.
func TestTimeoutGivesTheContextToTheHandlerThatOverran(t *testing.T) {
	s := newStuck()
	c := serve(t, &fasthttp.Server{}, func(table *router.Table) {
		table.Use(RequestID(), AccessLog(slog.New(slog.DiscardHandler)), CORS(CORSConfig{Origins: []string{"*"}}), ETag())
		table.Post("/stuck/{id}", s.handle, Timeout(TimeoutConfig{After: soon}))
		table.Post("/echo/{id}", func(c *router.Ctx) error { return c.Text(200, c.Param("id")+" "+string(c.PostBody())) })
	})
	c.send(t, "POST /stuck/%61nna HTTP/1.1\nX-Request-Id: id-1\nOrigin: https://example.org\nContent-Length: 5", "first")
	resp := c.receive(t, false)
	if detail := problem(t, resp, 503)["detail"]; detail != lateDetail {
		t.Errorf("detail %q", detail)
	}
	if got := string(resp.Header.Peek("X-Request-Id")); got != "id-1" {
		t.Errorf("X-Request-Id %q: what was set before is lost", got)
	}
	if got := string(resp.Header.Peek("Access-Control-Allow-Origin")); got != "*" {
		t.Errorf("Access-Control-Allow-Origin %q: a page cannot read this answer", got)
	}
	follow := func() {
		for i := range 50 {
			body := fmt.Sprintf("body-%d", i)
			c.send(t, fmt.Sprintf("POST /echo/%%62ob%d HTTP/1.1\nContent-Length: %d", i, len(body)), body)
			resp := c.receive(t, false)
			if want := fmt.Sprintf("bob%d %s", i, body); string(resp.Body()) != want || resp.Header.Peek("X-Late") != nil {
				t.Fatalf("answer %d: %q, want %q", i, resp.Body(), want)
			}
		}
	}
	follow()
	close(s.release)
	follow()
	if saw, want := <-s.saw, "POST /stuck/anna anna first"; saw != want {
		t.Errorf("the handler saw %q, want %q", saw, want)
	}
}

// A body after HEAD would be read as the next answer.
func TestTimeoutOfHeadHasNoBody(t *testing.T) {
	s := newStuck()
	defer close(s.release)
	c := serve(t, &fasthttp.Server{}, func(table *router.Table) {
		table.Get("/stuck", s.handle, Timeout(TimeoutConfig{After: soon}))
		table.Get("/", ok)
	})
	c.send(t, "HEAD /stuck HTTP/1.1", "")
	if resp := c.receive(t, true); resp.StatusCode() != 503 {
		t.Errorf("status %d, want 503", resp.StatusCode())
	}
	c.send(t, "GET / HTTP/1.1", "")
	if resp := c.receive(t, false); resp.StatusCode() != 200 || string(resp.Body()) != "ok" {
		t.Errorf("the answer that follows: status %d, body %q", resp.StatusCode(), resp.Body())
	}
}

func TestTimeoutRefusesWhileTooManyOverrun(t *testing.T) {
	s := newStuck()
	c := serve(t, &fasthttp.Server{}, func(table *router.Table) {
		table.Get("/stuck", s.handle, Timeout(TimeoutConfig{After: soon, Overrun: 2}))
	})
	for range 2 {
		c.send(t, "GET /stuck HTTP/1.1", "")
		if problem(t, c.receive(t, false), 503)["detail"] != lateDetail {
			t.Error("refused before the limit")
		}
	}
	c.send(t, "GET /stuck HTTP/1.1", "")
	resp := c.receive(t, false)
	if problem(t, resp, 503)["detail"] == lateDetail || string(resp.Header.Peek("Retry-After")) != "1" {
		t.Errorf("Retry-After %q, body %s", resp.Header.Peek("Retry-After"), resp.Body())
	}
	if len(s.began) != 2 {
		t.Errorf("%d handlers began, want 2", len(s.began))
	}
	close(s.release) // from here on handlers end, and there is room again
	for began := 2; began == 2; began = len(s.began) {
		c.send(t, "GET /stuck HTTP/1.1", "")
		c.receive(t, false)
	}
}

func TestTimeoutEndsTheContext(t *testing.T) {
	ended := make(chan error, 1)
	m := compile(t, func(table *router.Table) {
		table.Get("/late", func(c *router.Ctx) error {
			<-Context(c).Done()
			ended <- Context(c).Err()
			return nil
		}, Timeout(TimeoutConfig{After: soon}))
		table.Get("/without", func(c *router.Ctx) error {
			_, has := Context(c).Deadline()
			return c.Text(200, fmt.Sprint(has))
		})
	})
	ask(m, "GET", "/late")
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the context ended with %v", err)
	}
	if ctx := ask(m, "GET", "/without"); string(ctx.Response.Body()) != "false" {
		t.Error("a deadline without Timeout")
	}
}

// lines is a log that can be waited for.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

func TestTimeoutLogsWhatALateHandlerFailsWith(t *testing.T) {
	out, release := make(lines, 1), make(chan struct{})
	m := compile(t, func(table *router.Table) {
		table.Get("/", func(*router.Ctx) error {
			<-release
			panic("much later")
		}, Timeout(TimeoutConfig{After: soon, Logger: slog.New(slog.NewTextHandler(out, nil))}))
	})
	ask(m, "GET", "/")
	close(release)
	if line := <-out; !strings.Contains(line, "much later") || !strings.Contains(line, "request_id=") {
		t.Errorf("the log says %s", line)
	}
}

// The moment in which the handler ends and its time ends: either is right, a mixture is not.
func TestTimeoutRacesTheHandlersEnd(t *testing.T) {
	var mu sync.Mutex
	counts := map[int]int{}
	m := compile(t, func(table *router.Table) {
		table.Get("/", func(c *router.Ctx) error {
			<-Context(c).Done() // ends just when the time does
			return c.Text(200, "in time")
		}, Timeout(TimeoutConfig{After: soon, Overrun: 1 << 20}))
	})
	for range 200 {
		ctx := ask(m, "GET", "/")
		resp := ctx.LastTimeoutErrorResponse()
		if resp == nil {
			resp = &ctx.Response
		}
		if resp.StatusCode() == 200 && string(resp.Body()) != "in time" || resp.StatusCode() == 503 && string(resp.Body()) != lateBody {
			t.Errorf("status %d with body %q", resp.StatusCode(), resp.Body())
		}
		mu.Lock()
		counts[resp.StatusCode()]++
		mu.Unlock()
	}
	if counts[200]+counts[503] != 200 {
		t.Errorf("statuses %v", counts)
	}
}

// The body that is written out by hand is the one that the router would write.
func TestTimeoutWritesTheRoutersProblem(t *testing.T) {
	m := compile(t, func(table *router.Table) {
		table.Get("/", func(*router.Ctx) error { return router.NewProblem(503, lateDetail) })
	})
	if got := string(ask(m, "GET", "/").Response.Body()); got != lateBody {
		t.Errorf("router writes %s, Timeout %s", got, lateBody)
	}
}
