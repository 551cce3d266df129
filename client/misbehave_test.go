package client

import (
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// answering returns a handler that gives answer i to request i of a connection, for as long as
// there are answers, and then returns, which closes the connection.
func answering(answers ...string) func(net.Conn) {
	return func(conn net.Conn) {
		requests(conn, func(i int, _ *http.Request, _ []byte) bool {
			_, err := io.WriteString(conn, answers[i])
			return err == nil && i+1 < len(answers)
		})
	}
}

// The client of the original benchmark waited for ever once a single request had failed. Ours
// ends whatever the server does, and accounts for every request.
func TestLesson9_EndsWhateverTheServerDoes(t *testing.T) {
	const closing = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
	for _, test := range []struct {
		name     string
		pipeline int
		handle   func(net.Conn)
		status   map[int]int64
		errors   map[Kind]int64
	}{
		{"says Connection: close behind each answer", 1, answering(closing), map[int]int64{200: 24}, nil},
		{"closes behind the first of four", 4, answering(closing), map[int]int64{200: 6}, map[Kind]int64{Closed: 18}},
		{"closes in the middle of the second answer", 1, answering(ok200, ok200[:20]), map[int]int64{200: 12}, map[Kind]int64{Short: 12}},
		{"answers with a body that ends with the connection", 1, answering("HTTP/1.0 200 OK\r\n\r\nabc"), map[int]int64{200: 24}, nil},
		{"answers 500 and lives on", 1, answering(strings.Split(strings.Repeat("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n|", 24), "|")...), map[int]int64{500: 24}, nil},
		{"speaks no HTTP behind the first answer", 1, answering(ok200, "SSH-2.0-OpenSSH\r\n"), map[int]int64{200: 12}, map[Kind]int64{Parse: 12}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := runClient(t, Config{URL: serve(t, test.handle), Requests: 24, Connections: 1, Pipeline: test.pipeline})
			if r.Sent != 24 || !maps.Equal(r.Status, test.status) || !maps.Equal(r.Errors, test.errors) {
				t.Errorf("sent %d, status %v, errors %v (%v)", r.Sent, r.Status, r.Errors, r.Samples)
			}
		})
	}
}

// The next request leaves before the close is seen; whether it meets an end of file or a
// reset is the kernel's choice.
func TestLesson9_EndsWhenEachConnectionIsClosedUnannounced(t *testing.T) {
	r := runClient(t, Config{URL: serve(t, answering(ok200)), Requests: 24, Connections: 1, Pipeline: 1})
	if r.Sent != 24 || r.Answered != 12 || r.Errors[Closed]+r.Errors[Reset] != 12 || r.Dials != 12 {
		t.Errorf("%+v", r)
	}
}

func TestLesson9_EndsWhenNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	r := runClient(t, Config{URL: url, Connections: 3})
	if r.Sent != 0 || r.Unsent() != DefaultRequests || r.Errors[Dial] != 3 || r.Err() == nil {
		t.Errorf("%+v", r)
	}
	if r := runClient(t, Config{URL: url, Duration: time.Millisecond}); r.Err() == nil {
		t.Errorf("no error: %+v", r)
	}
}

// The server is there for a while, and then no more: what was on its way is lost, the rest is
// never sent.
func TestLesson9_EndsWhenTheServerDies(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var seen atomic.Int64
	url := "http://" + accept(t, l, func(conn net.Conn) {
		requests(conn, func(int, *http.Request, []byte) bool {
			if seen.Add(1) >= 50 {
				l.Close()
				return false
			}
			_, err := io.WriteString(conn, ok200)
			return err == nil
		})
	})
	r := runClient(t, Config{URL: url, Requests: 1000, Connections: 4, Pipeline: 2, Timeout: 200 * time.Millisecond})
	if r.Answered != 49 || r.Unsent() == 0 || r.Errors[Closed]+r.Errors[Reset] == 0 || r.Errors[Dial] == 0 {
		t.Errorf("%+v", r)
	}
	if r.Failed() != 1000-49 {
		t.Errorf("%d failed", r.Failed())
	}
}

func TestLesson9_EndsWhenTheServerNeverAnswers(t *testing.T) {
	for name, handle := range map[string]func(net.Conn){
		"reads, silent":       func(conn net.Conn) { io.Copy(io.Discard, conn) },
		"an answer, too slow": func(conn net.Conn) { drip(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n") },
		"a head without end":  func(conn net.Conn) { drip(conn, "HTTP/1.1 200 OK\r\nX-Y: ") },
		"nothing but 102":     func(conn net.Conn) { repeat(conn, "HTTP/1.1 102 Processing\r\n\r\n") },
		"chunks without end": func(conn net.Conn) {
			repeat(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := runClient(t, Config{URL: serve(t, handle), Requests: 100, Connections: 2, Pipeline: 3, Timeout: 50 * time.Millisecond})
			if r.Answered != 0 || r.Errors[Timeout] != 6 || r.Unsent() != 94 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// drip writes text and then single bytes, slowly, until the connection breaks.
func drip(conn net.Conn, text string) {
	io.WriteString(conn, text)
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for range ticker.C {
		if _, err := conn.Write([]byte("x")); err != nil {
			return
		}
	}
}

// repeat writes first, and then next (or first again) until the connection breaks.
func repeat(conn net.Conn, first string, next ...string) {
	again := strings.Repeat(strings.Join(append(next, ""), ""), 100)
	if again == "" {
		again = first
	}
	for text := first; ; text = again {
		if _, err := io.WriteString(conn, text); err != nil {
			return
		}
	}
}

func TestLesson9_EndsWhenTheHeadIsTooLong(t *testing.T) {
	for name, text := range map[string]string{
		"one line":   "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", maxHead),
		"many lines": "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", maxHead/4),
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, func(conn net.Conn) { repeat(conn, text) })
			r := runClient(t, Config{URL: url, Requests: 2, Connections: 1, Pipeline: 2})
			if r.Errors[Parse] != 2 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// A client that writes its whole pipeline before it reads stands still as soon as the server
// cannot get rid of its answers: here both directions hold far more than the sockets' buffers.
func TestLesson46_WritesAndReadsOverlap(t *testing.T) {
	const size = 4 << 20
	answer := "HTTP/1.1 200 OK\r\nContent-Length: 4194304\r\n\r\n" + strings.Repeat("a", size)
	url := serve(t, func(conn net.Conn) {
		// The answer goes out before the body is read.
		for range 8 {
			head := make([]byte, 1)
			if _, err := conn.Read(head); err != nil {
				return
			}
			if _, err := io.WriteString(conn, answer); err != nil {
				return
			}
			if !skipRequest(conn, size) {
				return
			}
		}
	})
	body := make([]byte, size)
	r := runClient(t, Config{URL: url, Bodies: [][]byte{body}, Requests: 8, Connections: 1, Pipeline: 8})
	if err := r.Err(); err != nil {
		t.Error(err)
	}
}

// skipRequest reads the rest of a request whose body has the given size.
func skipRequest(conn net.Conn, size int64) bool {
	var head []byte
	for one := make([]byte, 1); !strings.HasSuffix(string(head), "\r\n\r\n"); head = append(head, one[0]) {
		if _, err := conn.Read(one); err != nil {
			return false
		}
	}
	n, err := io.CopyN(io.Discard, conn, size)
	return err == nil && n == size
}

// A server that refuses a large body early, and does not read it, is heard.
func TestLesson46_AnswerBeforeTheBodyIsSent(t *testing.T) {
	url := serve(t, func(conn net.Conn) {
		io.WriteString(conn, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		if c, ok := conn.(*net.TCPConn); ok {
			c.CloseWrite()
		}
		io.Copy(io.Discard, io.LimitReader(conn, 1<<20))
	})
	r := runClient(t, Config{URL: url, Bodies: [][]byte{make([]byte, 16<<20)}, Requests: 3, Connections: 1, Pipeline: 1})
	if !maps.Equal(r.Status, map[int]int64{413: 3}) {
		t.Errorf("%+v", r)
	}
}

// Every sample counts: the histogram has no cap, so the quantiles are those of all requests.
func TestLesson46_NoSampleIsLeftOut(t *testing.T) {
	c := Config{Connections: 1}
	tally := newTally(&c)
	for i := range int64(100_000) {
		if err := tally.latency.RecordValue((i + 1) * int64(time.Microsecond)); err != nil {
			t.Fatal(err)
		}
	}
	l := latencyOf(tally.latency)
	for _, q := range []struct{ got, want float64 }{{l.P50, 50_000}, {l.P90, 90_000}, {l.P99, 99_000}, {l.P999, 99_900}, {l.Max, 100_000}} {
		if q.got < q.want*0.999 || q.got > q.want*1.001 {
			t.Errorf("%v instead of %v µs", q.got, q.want)
		}
	}
}

// The server stands still for a second. At 1,000 requests/s, the 1,000 that were due meanwhile
// waited half a second on average; from when they were sent, only the few on their way did.
func TestLesson47_LatencyCountsFromWhenARequestWasDue(t *testing.T) {
	stall := make(chan struct{})
	var seen atomic.Int64
	url := serve(t, func(conn net.Conn) {
		requests(conn, func(int, *http.Request, []byte) bool {
			switch n := seen.Add(1); {
			case n == 500:
				time.AfterFunc(time.Second, func() { close(stall) })
				<-stall
			case n > 500:
				<-stall
			}
			_, err := io.WriteString(conn, ok200)
			return err == nil
		})
	})
	r := runClient(t, Config{URL: url, Requests: 3000, Rate: 1000, Connections: 4, Pipeline: 1})
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	// A third of the requests was due in the stall; one in a hundred of all waited for
	// over 0.97 s of it, one in ten for over 0.7 s.
	if r.Latency.P99 < 0.9e6 || r.Latency.P90 < 0.6e6 || r.Latency.Max < 0.95e6 {
		t.Errorf("the stall is hidden: %v", r.Latency)
	}
	if r.Uncorrected.P99 > 0.5e6 || r.Uncorrected.Max < 0.95e6 {
		t.Errorf("the uncorrected figures: %v", *r.Uncorrected)
	}
}

func TestLesson47_TheScheduleIsEven(t *testing.T) {
	s := newSchedule(&Config{Rate: 1000, Requests: 10}, func(int64) {})
	for k := range int64(10) {
		if got := s.due(k); got != k*int64(time.Millisecond) {
			t.Errorf("request %d is due at %d ns", k, got)
		}
	}
	// A ramp of 2 s to 1,000/s: 1,000 requests in it, the first quarter of them in its first half.
	s = newSchedule(&Config{Rate: 1000, Ramp: 2 * time.Second, Requests: 3000}, func(int64) {})
	for k, want := range map[int64]time.Duration{0: 0, 250: time.Second, 1000: 2 * time.Second, 2000: 3 * time.Second} {
		if got := time.Duration(s.due(k)); (got - want).Abs() > time.Microsecond {
			t.Errorf("request %d is due at %v instead of %v", k, got, want)
		}
	}
}
