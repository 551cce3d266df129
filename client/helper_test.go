package client

import (
	"bufio"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// serve listens on a fresh port and gives every connection to handle, in a goroutine of its
// own. The connection is closed when handle returns.
func serve(t *testing.T, handle func(net.Conn)) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + accept(t, l, handle)
}

// accept does what serve does on a listener that is there already.
func accept(t *testing.T, l net.Listener, handle func(net.Conn)) (address string) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	ended := false
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			if ended {
				conn.Close()
			}
			open[conn] = true
			mu.Unlock()
			wg.Go(func() {
				defer conn.Close()
				handle(conn)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		ended = true
		for conn := range open {
			conn.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return l.Addr().String()
}

// requests reads requests with net/http until the connection ends, and calls answer for each.
// It stops when answer returns false.
func requests(conn net.Conn, answer func(i int, r *http.Request, body []byte) bool) {
	in := bufio.NewReader(conn)
	for i := 0; ; i++ {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || !answer(i, r, body) {
			return
		}
	}
}

// run runs the configuration and checks what holds of every result.
func runClient(t *testing.T, c Config) *Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := Run(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	checkSums(t, r)
	return r
}

func checkSums(t *testing.T, r *Result) {
	t.Helper()
	answered, errors := int64(0), int64(0)
	for _, n := range r.Status {
		answered += n
	}
	for kind, n := range r.Errors {
		if kind != Dial {
			errors += n
		}
	}
	if answered != r.Answered || r.Sent != r.Answered+errors || r.Sent > r.Requests {
		t.Errorf("the sums are wrong: %+v", r)
	}
}

// quiet is where servers log what a test provokes.
var quiet = log.New(io.Discard, "", 0)

const ok200 = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
