package middleware

import (
	"bufio"
	"encoding/json"
	"net"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"github.com/rapidrest/rapidrest/router"
)

// compile makes the table that register fills, or ends the test.
func compile(t testing.TB, register func(*router.Table)) *router.Matcher {
	t.Helper()
	table := router.New()
	register(table)
	m, err := table.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// conn is a client's connection to a server that lives as long as the test.
type conn struct {
	net.Conn
	r *bufio.Reader
}

// serve runs srv in memory, with the table that register fills, and connects to it.
func serve(t *testing.T, srv *fasthttp.Server, register func(*router.Table)) *conn {
	t.Helper()
	srv.Handler = compile(t, register).Serve
	ln := fasthttputil.NewInmemoryListener()
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	c := dial(t, ln)
	t.Cleanup(func() {
		ln.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return c
}

func dial(t *testing.T, ln *fasthttputil.InmemoryListener) *conn {
	t.Helper()
	c, err := ln.Dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &conn{c, bufio.NewReader(c)}
}

// send writes a request: the request line and headers, one a line, then the body.
func (c *conn) send(t *testing.T, head, body string) {
	t.Helper()
	text := strings.ReplaceAll(head, "\n", "\r\n") + "\r\nHost: example.org\r\n\r\n" + body
	if _, err := c.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

// receive reads one answer. head says that it has no body whatever its Content-Length.
func (c *conn) receive(t *testing.T, head bool) *fasthttp.Response {
	t.Helper()
	var resp fasthttp.Response
	resp.SkipBody = head
	if err := resp.Read(c.r); err != nil {
		t.Fatal(err)
	}
	return &resp
}

// ask serves one request without a connection and returns its context.
func ask(m *router.Matcher, method, path string, headers ...string) *fasthttp.RequestCtx {
	ctx := &fasthttp.RequestCtx{}
	ctx.Init(&fasthttp.Request{}, nil, nil)
	ctx.Request.Header.SetMethod(method)
	ctx.Request.SetRequestURI(path)
	for i := 0; i < len(headers); i += 2 {
		ctx.Request.Header.Add(headers[i], headers[i+1])
	}
	m.Serve(ctx)
	return ctx
}

// problem checks that a response is problem details of this status, and returns its members.
func problem(t *testing.T, resp *fasthttp.Response, status int) map[string]any {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(resp.Body(), &members); err != nil {
		t.Fatalf("body %q: %v", resp.Body(), err)
	}
	if got := string(resp.Header.ContentType()); got != "application/problem+json" {
		t.Errorf("Content-Type %q, want application/problem+json", got)
	}
	if resp.StatusCode() != status || members["status"] != float64(status) {
		t.Errorf("status %d, in the body %v; want %d", resp.StatusCode(), members["status"], status)
	}
	return members
}

func ok(c *router.Ctx) error { return c.Text(200, "ok") }
