package integration

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
	"github.com/rapidrest/rapidrest/resource"
	"github.com/rapidrest/rapidrest/router"
	"github.com/rapidrest/rapidrest/store"
)

// patience bounds every wait of these tests. Nothing comes near it unless something is stuck.
const patience = 30 * time.Second

// service is a server over a database of its own, reached through a real socket.
type service struct {
	addr    string
	db      *mongo.Database // the driver's view, to look behind the server
	buffers *batch.Set
	server  *fasthttp.Server
}

// serviceConfig is what a test may want to be different.
type serviceConfig struct {
	resource resource.Config
	batch    batch.Config
	limits   router.Limits
	sink     func(batch.Sink) batch.Sink // between buffer and store
	group    []router.Middleware
	routes   func(*router.Table)
	on       *service // whose database to use

	// unchecked mounts POST alone, without the store's limits: what it can't hold is sent to it.
	unchecked bool
}

// serve starts a service; it stops when t ends, and t fails if a connection or a goroutine
// of it is left behind.
func serve(t *testing.T, cfg serviceConfig) *service {
	t.Helper()
	var db *mongo.Database
	if cfg.on != nil {
		db = cfg.on.db
	} else {
		db = mongotest.Database(t)
	}
	st, err := store.Use(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	return serveStore(t, db, st, cfg)
}

func serveStore(t *testing.T, db *mongo.Database, st *store.Store, cfg serviceConfig) *service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	buffers := batch.NewSet(func(name string) (batch.Sink, batch.Config, error) {
		c := cfg.batch
		c.Logger = log
		var sink batch.Sink = st.Collection(name)
		if cfg.sink != nil {
			sink = cfg.sink(sink)
		}
		return sink, c, nil
	}, batch.Limits{})

	table := router.New()
	table.Logger = log
	if cfg.routes != nil {
		cfg.routes(table)
	}
	rc := cfg.resource
	rc.Store, rc.Buffers = st, buffers
	if cfg.unchecked {
		rc.Store = nil
	}
	if err := resource.Mount(table, "/collections/{collection}", rc, cfg.group...); err != nil {
		t.Fatal(err)
	}
	matcher, err := table.Compile()
	if err != nil {
		t.Fatal(err)
	}
	server := router.NewServer(matcher, cfg.limits)
	server.Logger = slogPrinter{}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := server.ShutdownWithContext(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
		if n := server.GetOpenConnectionsCount(); n > 0 {
			t.Errorf("%d connections are open after the shutdown", n)
		}
		buffers.Close(ctx)
	})
	return &service{addr: ln.Addr().String(), db: db, buffers: buffers, server: server}
}

// slogPrinter keeps fasthttp's log of bad requests out of the tests' output.
type slogPrinter struct{}

func (slogPrinter) Printf(string, ...any) {}

// dial opens a connection that a test cannot hang on.
func (s *service) dial(t testing.TB) net.Conn {
	t.Helper()
	c, err := net.DialTimeout("tcp", s.addr, patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return c
}

// do sends one request: a line of method and path, headers a line each, an empty line, the
// body. Host and Content-Length are added. It returns the answer as text; see render.
func (s *service) do(t testing.TB, request string) string {
	t.Helper()
	head, body, _ := strings.Cut(request, "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s HTTP/1.1\r\nHost: test\r\nConnection: close\r\n", lines[0])
	for _, l := range lines[1:] {
		fmt.Fprintf(&b, "%s\r\n", l)
	}
	if body != "" || strings.HasPrefix(lines[0], "P") {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n")
	b.WriteString(body)
	c := s.dial(t)
	if _, err := c.Write(b.Bytes()); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(lines[0], " ")
	answer := readAnswer(t, bufio.NewReader(c), method)
	return answer
}

// readAnswer reads one response and renders it.
func readAnswer(t testing.TB, r *bufio.Reader, method string) string {
	t.Helper()
	resp, err := http.ReadResponse(r, &http.Request{Method: method})
	if err != nil {
		t.Fatalf("read the answer: %v", err)
	}
	defer resp.Body.Close()
	return render(t, resp)
}

// render is a response as text: the status, the headers in the order of their names, an empty
// line, the body. Date differs from answer to answer and Content-Length has been checked by
// reading the body; Connection: close is what do asks for.
func render(t testing.TB, resp *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("read the body: %v", err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, resp.StatusCode)
	for _, name := range slices.Sorted(mapKeys(resp.Header)) {
		switch name {
		case "Date", "Content-Length", "Connection":
			continue
		}
		for _, v := range resp.Header[name] {
			fmt.Fprintf(&b, "%s: %s\n", name, v)
		}
	}
	fmt.Fprintf(&b, "\n%s", body)
	return b.String()
}

func mapKeys[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// expect compares a whole answer.
func expect(t testing.TB, got, want string) {
	t.Helper()
	want = strings.TrimSpace(want)
	if !strings.Contains(want, "\n\n") {
		want += "\n\n"
	}
	if got != want {
		t.Errorf("the answer is\n%s\n\nwant\n%s", indent(got), indent(want))
	}
}

func indent(s string) string { return "\t" + strings.ReplaceAll(s, "\n", "\n\t") }

// header is the value of a header in a rendered answer.
func header(answer, name string) string {
	head, _, _ := strings.Cut(answer, "\n\n")
	for line := range strings.Lines(head) {
		if v, ok := strings.CutPrefix(line, name+": "); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// body is the body of a rendered answer, and status its first line.
func body(answer string) string   { _, b, _ := strings.Cut(answer, "\n\n"); return b }
func status(answer string) string { s, _, _ := strings.Cut(answer, "\n"); return s }
