package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

// A real server sees every request once, with the URL and the body it should have.
func TestEveryRequestArrivesOnce(t *testing.T) {
	const total = 1000
	var mu sync.Mutex
	users := map[string]int{}
	bodies := map[string]int{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &fasthttp.Server{Handler: func(ctx *fasthttp.RequestCtx) {
		mu.Lock()
		users[string(ctx.Path())]++
		bodies[string(ctx.PostBody())]++
		mu.Unlock()
		ctx.SetStatusCode(201)
	}}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	r := runClient(t, Config{URL: "http://" + l.Addr().String() + "/survey/customer/{user}", Requests: total})
	if err := server.Shutdown(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	if !maps.Equal(r.Status, map[int]int64{201: total}) || len(r.Errors) > 0 || r.Sent != total {
		t.Errorf("%+v", r)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(users) != total {
		t.Errorf("%d different users of %d", len(users), total)
	}
	for i, want := range SurveyAnswers() {
		// 1,000 requests over three bodies: 334, 333, 333
		if got := bodies[string(want)]; got != (total+2-i)/3 {
			t.Errorf("body %d came %d times", i, got)
		}
	}
	if r.RPS <= 0 || r.Latency.P50 <= 0 || r.Latency.Max < r.Latency.P999 || r.Dials != DefaultConnections {
		t.Errorf("%+v", r)
	}
}

func TestSurveyAnswers(t *testing.T) {
	for i, want := range []int{14, 8, 10} {
		body := SurveyAnswers()[i]
		var answers map[string]any
		if err := json.Unmarshal(body, &answers); err != nil {
			t.Fatal(err)
		}
		if len(answers) != want || len(body) < 237 || len(body) > 276 {
			t.Errorf("body %d: %d answers in %d bytes", i, len(answers), len(body))
		}
	}
}

func TestStatusesAreCounted(t *testing.T) {
	url := serve(t, func(conn net.Conn) {
		requests(conn, func(_ int, r *http.Request, _ []byte) bool {
			status := 200
			if strings.HasSuffix(r.URL.Path, "7") {
				status = 503
			}
			_, err := fmt.Fprintf(conn, "HTTP/1.1 %d X\r\nContent-Length: 0\r\n\r\n", status)
			return err == nil
		})
	})
	r := runClient(t, Config{URL: url + "/{n}", Method: "GET", Requests: 100})
	if !maps.Equal(r.Status, map[int]int64{200: 90, 503: 10}) {
		t.Errorf("%v", r.Status)
	}
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), "10 of 100 requests failed: 10 with status 503") {
		t.Errorf("%v", err)
	}
}

func TestHeadAnswersHaveNoBody(t *testing.T) {
	url := serve(t, func(conn net.Conn) {
		requests(conn, func(_ int, r *http.Request, _ []byte) bool {
			_, err := conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"))
			return err == nil && r.Method == "HEAD"
		})
	})
	r := runClient(t, Config{URL: url, Method: "HEAD", Requests: 50, Connections: 2})
	if r.Answered != 50 {
		t.Errorf("%+v", r)
	}
}

// The warm-up is sent, and is in no figure.
func TestWarmupIsNotMeasured(t *testing.T) {
	var seen atomic.Int64
	url := serve(t, func(conn net.Conn) {
		requests(conn, func(_ int, r *http.Request, _ []byte) bool {
			seen.Add(1)
			var n int
			if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil {
				return false
			}
			status := 200
			if n < 30 {
				status = 500
			}
			_, err := fmt.Fprintf(conn, "HTTP/1.1 %d\r\nContent-Length: 0\r\n\r\n", status)
			return err == nil
		})
	})
	r := runClient(t, Config{URL: url + "/{n}", Requests: 70, Warmup: 30, Connections: 3, Pipeline: 7})
	if seen.Load() != 100 || r.Sent != 70 || !maps.Equal(r.Status, map[int]int64{200: 70}) {
		t.Errorf("%d seen, %+v", seen.Load(), r)
	}
}

func TestDurationEndsTheRun(t *testing.T) {
	url := serve(t, func(conn net.Conn) {
		requests(conn, func(int, *http.Request, []byte) bool {
			_, err := conn.Write([]byte(ok200))
			return err == nil
		})
	})
	for _, rate := range []float64{0, 1000} {
		r := runClient(t, Config{URL: url, Duration: 100 * time.Millisecond, Rate: rate, Connections: 2, Warmup: 5})
		if r.Err() != nil || r.Sent == 0 || rate > 0 && r.Sent != 100 {
			t.Errorf("rate %v: %+v", rate, r)
		}
	}
}

// {n} and {user} in bodies change their length; Content-Length follows.
func TestFilledBodies(t *testing.T) {
	var mu sync.Mutex
	var bodies []string
	url := serve(t, func(conn net.Conn) {
		requests(conn, func(_ int, r *http.Request, body []byte) bool {
			mu.Lock()
			bodies = append(bodies, string(body))
			mu.Unlock()
			_, err := conn.Write([]byte(ok200))
			return err == nil
		})
	})
	body := []byte(`{"n":{n},"x":"{m}"}`)
	runClient(t, Config{URL: url, Bodies: [][]byte{body}, FillBodies: true, Requests: 12, Connections: 1})
	mu.Lock()
	defer mu.Unlock()
	for n, got := range bodies {
		if want := fmt.Sprintf(`{"n":%d,"x":"{m}"}`, n); got != want {
			t.Errorf("body %d is %q", n, got)
		}
	}
	if len(bodies) != 12 {
		t.Errorf("%d bodies", len(bodies))
	}
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	accept(t, l, func(conn net.Conn) {
		requests(conn, func(_ int, r *http.Request, _ []byte) bool {
			_, err := conn.Write([]byte(ok200))
			return err == nil && r.URL.Path == "/x" && r.Host == "localhost"
		})
	})
	r := runClient(t, Config{URL: "unix://" + path + ":/x", Requests: 100})
	if err := r.Err(); err != nil {
		t.Error(err)
	}
}

func TestCancelReturnsWhatIsKnown(t *testing.T) {
	answered := make(chan struct{})
	var once sync.Once
	url := serve(t, func(conn net.Conn) {
		requests(conn, func(i int, _ *http.Request, _ []byte) bool {
			if i == 6 {
				once.Do(func() { close(answered) })
			}
			if i >= 6 {
				return true // silence
			}
			_, err := conn.Write([]byte(ok200))
			return err == nil
		})
	})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-answered
		cancel()
	}()
	r, err := Run(ctx, Config{URL: url, Connections: 1, Pipeline: 4, Requests: 100})
	if !errors.Is(err, context.Canceled) || r == nil {
		t.Fatalf("%v, %v", r, err)
	}
	checkSums(t, r)
	// Request 6 leaves when three answers have been read; at most six were given.
	if r.Answered < 3 || r.Answered > 6 || r.Errors[Canceled] == 0 || r.Errors[Canceled] > 4 {
		t.Errorf("%+v", r)
	}
}

func TestBadConfigurationsAreRefused(t *testing.T) {
	const url = "http://127.0.0.1:1/"
	for _, c := range []Config{
		{URL: "127.0.0.1:80"}, {URL: "ftp://x/"}, {URL: "http:///x"}, {URL: "http://a b/"},
		{URL: "http://a/ü"}, {URL: "http://a/b c"}, {URL: "http://a/\r\nX: y"}, {URL: "http://u:p@a/"},
		{URL: url, Method: "GET /"}, {URL: url, Header: []string{"X"}}, {URL: url, Header: []string{"X: a\r\nY: b"}},
		{URL: url, Header: []string{"content-length: 5"}}, {URL: url, Requests: -1}, {URL: url, Rate: -1},
		{URL: url, Connections: MaxConnections + 1}, {URL: url, Pipeline: -1}, {URL: url, Timeout: -1},
	} {
		if r, err := Run(context.Background(), c); err == nil || r != nil || !strings.HasPrefix(err.Error(), "client: ") {
			t.Errorf("%+v: %v, %v", c, r, err)
		}
	}
}

func TestReadBodies(t *testing.T) {
	got, err := ReadBodies(strings.NewReader("{\"a\":1}\r\n\n  \nnot json\n{}"))
	if err != nil {
		t.Fatal(err)
	}
	want := [][]byte{[]byte(`{"a":1}`), []byte("not json"), []byte("{}")}
	if !slices.EqualFunc(got, want, func(a, b []byte) bool { return string(a) == string(b) }) {
		t.Errorf("%q", got)
	}
	if _, err := ReadBodies(strings.NewReader("\n")); err == nil {
		t.Error("an empty file has no bodies")
	}
}

// A connection that no request would go over is not opened.
func TestNoMoreConnectionsThanRequests(t *testing.T) {
	url := serve(t, answering(slices.Repeat([]string{ok200}, 10)...))
	for _, tt := range []struct{ requests, warmup, most int64 }{{5, 0, 5}, {5, 3, 8}} {
		r := runClient(t, Config{URL: url, Requests: tt.requests, Warmup: tt.warmup, Connections: MaxConnections, Pipeline: 1})
		if r.Dials > tt.most || r.Answered != tt.requests {
			t.Errorf("%d requests, %d of warm-up: %d connections, %d answers; want at most %d connections",
				tt.requests, tt.warmup, r.Dials, r.Answered, tt.most)
		}
	}
}
