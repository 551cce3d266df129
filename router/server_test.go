package router

import (
	"bufio"
	"net"
	"net/http"
	"testing"
	"time"
)

// The shorter of the two times bounds headers and short bodies: who asks for 2 s gets no 10 s.
func TestReadTimeoutBoundsTheHeadersToo(t *testing.T) {
	m, err := New().Compile()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ header, read, want time.Duration }{
		{0, 0, 10 * time.Second},
		{0, 2 * time.Second, 2 * time.Second},
		{0, time.Minute, 10 * time.Second},
		{5 * time.Second, 2 * time.Second, 2 * time.Second},
		{time.Second, 2 * time.Second, time.Second},
	} {
		if got := NewServer(m, Limits{HeaderTimeout: tt.header, ReadTimeout: tt.read}).ReadTimeout; got != tt.want {
			t.Errorf("HeaderTimeout %v, ReadTimeout %v: headers may take %v, want %v", tt.header, tt.read, got, tt.want)
		}
	}
}

// A request that stops half-way is answered 408 under a read timeout alone.
func TestHalfSentRequestEndsAtReadTimeout(t *testing.T) {
	table := New()
	table.Post("/", func(c *Ctx) error { return c.NoContent() })
	m, err := table.Compile()
	if err != nil {
		t.Fatal(err)
	}
	srv := NewServer(m, Limits{ReadTimeout: 50 * time.Millisecond})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(LazyDeadlines(ln)) }()
	for name, half := range map[string]string{
		"header":     "POST / HTTP/1.1\r\nHost: t\r\nContent-",
		"body":       "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 7\r\n\r\n{",
		"long body":  "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 70000\r\n\r\n{",
		"chunk":      "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{",
		"first line": "POST",
	} {
		if got := statusOf(t, ln.Addr().String(), half); got != http.StatusRequestTimeout {
			t.Errorf("half of a %s: %d, want 408", name, got)
		}
	}
	if err := srv.Shutdown(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func statusOf(t *testing.T, addr, request string) int {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(request)); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}
