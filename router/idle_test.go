package router

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// keeping hands out what it has accepted.
type keeping struct {
	net.Listener
	accepted chan net.Conn
}

func (l keeping) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.accepted <- conn
	}
	return conn, err
}

// A connection may be idle for longer than an answer may take: the write deadline of the last answer has
// passed then. What fasthttp writes by itself still goes out: the interim answer that lets a body
// come, and the refusal of a request it can't read.
func TestAnswersAfterALongIdleTime(t *testing.T) {
	m := compiled(t, func(c *Ctx) error { return c.Text(200, "ok") }, "/{x}")
	for name, lazily := range map[string]func(net.Listener) net.Listener{
		"lazy": LazyDeadlines, "plain": func(ln net.Listener) net.Listener { return ln },
	} {
		for _, test := range []struct {
			request string
			status  int
		}{
			{"POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", 100},
			{"POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\n", 413},
			{"nonsense\r\n\r\n", 400},
			{"GET /x HTTP/1.1\r\nHo", 408},
		} {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			srv := NewServer(m, Limits{HeaderTimeout: 50 * time.Millisecond})
			accepted, done := make(chan net.Conn, 1), make(chan error, 1)
			go func() { done <- srv.Serve(keeping{lazily(ln), accepted}) }()
			conn, err := net.Dial("tcp", ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			r := bufio.NewReader(conn)
			ask := func(request string) int {
				fmt.Fprint(conn, request)
				resp, err := http.ReadResponse(r, nil)
				if err != nil {
					t.Fatalf("%s, %q: %v", name, request, err)
				}
				io.Copy(io.Discard, resp.Body)
				return resp.StatusCode
			}
			ask("GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
			(<-accepted).SetWriteDeadline(time.Unix(1, 0))
			if got := ask(test.request); got != test.status {
				t.Errorf("%s, %q: %d, want %d", name, test.request, got, test.status)
			}
			conn.Close()
			if err := srv.Shutdown(); err != nil {
				t.Error(err)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
}
