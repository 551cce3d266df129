package scenario_test

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/baseline"
	"github.com/rapidrest/rapidrest/cmd/internal/scenario"
	"github.com/rapidrest/rapidrest/router"
)

// endless is a listener of one connection, on which the same request comes n times and all answers are
// thrown away. Its deadlines are those of a TCP connection; nothing else of the kernel's is in what
// is measured.
type endless struct {
	net.Conn
	request []byte
	n       int
	rest    []byte
}

func (e *endless) Accept() (net.Conn, error) { return e, nil }
func (e *endless) Addr() net.Addr            { return e.LocalAddr() }

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		if e.n == 0 {
			return 0, io.EOF
		}
		e.n--
		e.rest = e.request
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func (e *endless) Write(p []byte) (int, error) { return len(p), nil }
func (e *endless) Close() error                { return nil }

// tcp returns an open connection.
func tcp(b *testing.B) net.Conn {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer ln.Close()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	conn, err := ln.Accept()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		client.Close()
		conn.Close()
	})
	return conn
}

// BenchmarkServed is what one request costs from its first byte to the last of its answer, on the
// framework and by hand, without the kernel's share.
func BenchmarkServed(b *testing.B) {
	s, err := scenario.New(scenario.Config{})
	if err != nil {
		b.Fatal(err)
	}
	servers := []struct {
		name   string
		on     func(net.Listener) net.Listener
		server *fasthttp.Server
	}{
		{"baseline", func(ln net.Listener) net.Listener { return ln }, &fasthttp.Server{
			Handler:               baseline.New(baseline.Config{}).Handler,
			NoDefaultServerHeader: true,
			ReadBufferSize:        16 << 10,
			ReadTimeout:           10 * time.Second,
			WriteTimeout:          30 * time.Second,
			IdleTimeout:           60 * time.Second,
		}},
		{"framework", router.LazyDeadlines, s.HTTP()},
	}
	survey := `{"age":41,"city":"Wien","satisfied":true,"score":4.5,"comment":"a good service, as always"}`
	conn := tcp(b)
	requests := []struct{ name, raw string }{
		{"hello", "GET /hello HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n"},
		{"timestamp", "GET /timestamp HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n"},
		{"survey", "POST /surveynodb/customer/ann HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Type: application/json\r\nContent-Length: 91\r\n\r\n" + survey},
	}
	for _, r := range requests {
		for _, s := range servers {
			b.Run(r.name+"/"+s.name, func(b *testing.B) {
				b.ReportAllocs()
				c, err := s.on(&endless{Conn: conn, request: []byte(r.raw), n: b.N}).Accept()
				if err != nil {
					b.Fatal(err)
				}
				if err := s.server.ServeConn(c); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
