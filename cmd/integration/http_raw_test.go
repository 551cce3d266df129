package integration

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rapidrest/rapidrest/resource"
	"github.com/rapidrest/rapidrest/router"
)

// rawLimits are small, so that the tests of limits are.
var rawLimits = router.Limits{
	MaxBody:       100_000,
	MaxHeader:     16 << 10,
	HeaderTimeout: 400 * time.Millisecond,
	ReadTimeout:   600 * time.Millisecond,
	IdleTimeout:   500 * time.Millisecond,
}

const (
	maxInflated = 200_000

	// smuggled is a request that no server must see: it stands where a body ends by one reading
	// of the framing and goes on by another.
	smuggled = "GET /smuggled HTTP/1.1\r\nHost: evil\r\n\r\n"
	liveLine = "GET /live HTTP/1.1\r\nHost: test\r\n\r\n"
	postHead = "POST /collections/raw HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n"
)

// rawCase is what a client sends, byte by byte, and what it gets: the statuses of all answers,
// in their order, and "close" where the server closes the connection after the last, "open"
// where it answers another request on it.
type rawCase struct {
	name string
	send string
	want string
}

// rawServer is a server that counts how often a smuggled request got through.
func rawServer(t *testing.T) (*service, *atomic.Int32) {
	t.Helper()
	seen := new(atomic.Int32)
	s := serve(t, serviceConfig{
		limits:   rawLimits,
		resource: resource.Config{MaxInflated: maxInflated},
		routes: func(table *router.Table) {
			table.Get("/live", func(c *router.Ctx) error { return c.Text(200, "ok") })
			table.Get("/smuggled", func(c *router.Ctx) error {
				seen.Add(1)
				return c.Text(200, "smuggled")
			})
		},
	})
	return s, seen
}

// run plays the cases one after the other, and then waits until the server has no connection
// left: whatever a client did, nothing may be stuck.
func run(t *testing.T, cases []rawCase) {
	s, seen := rawServer(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := s.play(t, c.send, len(strings.Fields(c.want))-1); got != c.want {
				t.Errorf("answered %q, want %q", got, c.want)
			}
		})
	}
	if n := seen.Load(); n > 0 {
		t.Errorf("%d smuggled requests were answered", n)
	}
	s.waitForQuiet(t)
}

// play sends bytes and says what came back. An answer beyond the n that are expected would be
// taken for that to one more request, and noticed.
func (s *service) play(t *testing.T, send string, n int) string {
	t.Helper()
	c := s.dial(t)
	// A server that refuses early closes while we write: what matters is what it answered.
	go c.Write([]byte(send))
	statuses, closed := readStatuses(t, c, n)
	if closed {
		return strings.Join(append(statuses, "close"), " ")
	}
	if _, err := io.WriteString(c, liveLine); err != nil {
		t.Errorf("the connection was to stay open: %v", err)
	}
	more, _ := readStatuses(t, c, 1)
	if strings.Join(more, " ") != "200" {
		t.Errorf("one more request was answered %v", more)
	}
	c.Close()
	return strings.Join(append(statuses, "open"), " ")
}

// readStatuses reads answers until the server closes the connection, or until n are here and the server keeps it open.
func readStatuses(t *testing.T, c net.Conn, n int) (statuses []string, closed bool) {
	t.Helper()
	r := bufio.NewReader(c)
	for {
		resp, err := http.ReadResponse(r, nil)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || isReset(err) {
			return statuses, true
		}
		if err != nil {
			t.Fatalf("after %v: %v", statuses, err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil && !isReset(err) {
			t.Fatalf("the body of a %d: %v", resp.StatusCode, err)
		}
		statuses = append(statuses, resp.Status[:3])
		checkProblem(t, resp)
		if !resp.Close && len(statuses) == n {
			return statuses, false
		}
	}
}

// checkProblem: every error is application/problem+json, also those that no handler saw.
func checkProblem(t *testing.T, resp *http.Response) {
	t.Helper()
	if resp.StatusCode >= 400 && resp.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("a %d of type %q", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
}

func isReset(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && !op.Timeout()
}

// waitForQuiet waits until the server has neither a connection nor a goroutine that serves one.
func (s *service) waitForQuiet(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for s.server.GetOpenConnectionsCount() > 0 || s.server.GetCurrentConcurrency() > 0 {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections are stuck", s.server.GetOpenConnectionsCount())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// post is a request with a body of the right Content-Length.
func post(headers, body string) string {
	return postHead + headers + "Content-Length: " + itoa(len(body)) + "\r\n\r\n" + body
}

// chunked is a request whose body is written as it is given.
func chunked(body string) string {
	return postHead + "Transfer-Encoding: chunked\r\n\r\n" + body
}

func TestLesson43_Framing(t *testing.T) {
	const body = `{"a":1}`
	run(t, []rawCase{
		{"length and encoding", postHead + "Content-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, "400 close"},
		{"encoding and length", postHead + "Transfer-Encoding: chunked\r\nContent-Length: 7\r\n\r\n0\r\n\r\n" + smuggled, "400 close"},
		{"encoding and length, a body", postHead + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n7\r\n" + body + "\r\n0\r\n\r\n" + smuggled, "400 close"},
		{"two lengths", postHead + "Content-Length: 7\r\nContent-Length: 0\r\n\r\n" + body + smuggled, "400 close"},
		{"two equal lengths", postHead + "Content-Length: 7\r\nContent-Length: 7\r\n\r\n" + body + smuggled, "400 close"},
		{"a list of lengths", postHead + "Content-Length: 7, 7\r\n\r\n" + body + smuggled, "400 close"},
		{"length +7", postHead + "Content-Length: +7\r\n\r\n" + body + smuggled, "400 close"},
		{"length -7", postHead + "Content-Length: -7\r\n\r\n" + body + smuggled, "400 close"},
		{"length 7x", postHead + "Content-Length: 7x\r\n\r\n" + body + smuggled, "400 close"},
		{"length 0x7", postHead + "Content-Length: 0x7\r\n\r\n" + body + smuggled, "400 close"},
		{"length 7.0", postHead + "Content-Length: 7.0\r\n\r\n" + body + smuggled, "400 close"},
		{"length with a space in it", postHead + "Content-Length: 1 7\r\n\r\n" + body + smuggled, "400 close"},
		{"length that overflows", postHead + "Content-Length: 18446744073709551623\r\n\r\n" + body + smuggled, "400 close"},
		{"no length in it", postHead + "Content-Length:\r\n\r\n" + body + smuggled, "400 close"},
		{"space before the colon of a length", postHead + "Content-Length : 7\r\n\r\n" + body + smuggled, "400 close"},
		{"tab before the colon of an encoding", postHead + "Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n" + smuggled, "400 close"},
		{"encoding identity", postHead + "Transfer-Encoding: identity\r\n\r\n" + smuggled, "501 close"},
		{"encoding identity and a length", postHead + "Transfer-Encoding: identity\r\nContent-Length: 7\r\n\r\n" + body + smuggled, "501 close"},
		{"an encoding that nobody knows", postHead + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + smuggled, "501 close"},
		{"encoding gzip, chunked", postHead + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + smuggled, "501 close"},
		{"encoding chunked, chunked", postHead + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n" + smuggled, "501 close"},
		{"encoding chunked, identity", postHead + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + smuggled, "501 close"},
		{"two encodings", postHead + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, "501 close"},
		{"encoding with a vertical tab", postHead + "Transfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n" + smuggled, "400 close"},
		{"encoding in a second line", postHead + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n" + smuggled, "501 close"},
		{"encoding in HTTP/1.0", "POST /collections/raw HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, "501 close"},
		{"bare LF after a header", postHead + "X: y\nContent-Length: 7\r\n\r\n" + body + smuggled, "400 close"},
		{"bare LF before the body", postHead + "Content-Length: 7\r\n\n" + body + smuggled, "400 close"},
		{"bare LF everywhere", strings.ReplaceAll(post("", body), "\r\n", "\n") + smuggled, "400 close"},
		{"bare CR in a header", postHead + "X: a\rb\r\nContent-Length: 7\r\n\r\n" + body + smuggled, "400 close"},
		{"a NUL in a header", postHead + "X: a\x00b\r\nContent-Length: 7\r\n\r\n" + body + smuggled, "400 close"},
		{"a header that goes on", postHead + "X: a\r\n b\r\nContent-Length: 7\r\n\r\n" + body + smuggled, "400 close"},
		{"a space in a header's name", postHead + "X Y: a\r\nContent-Length: 7\r\n\r\n" + body + smuggled, "400 close"},
		{"a header without a name", postHead + ": a\r\nContent-Length: 7\r\n\r\n" + body + smuggled, "400 close"},
		{"a header without a colon", postHead + "X\r\nContent-Length: 7\r\n\r\n" + body + smuggled, "400 close"},
		{"a header before its time", "GET /live HTTP/1.1\r\n Host: test\r\n\r\n" + smuggled, "400 close"},
		{"two hosts", "GET /live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + smuggled, "400 close"},
		{"two equal hosts", "GET /live HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n" + smuggled, "400 close"},
		{"no host", "GET /live HTTP/1.1\r\n\r\n" + smuggled, "400 close"},
		{"a host that is none", "GET /live HTTP/1.1\r\nHost: a b/c\r\n\r\n" + smuggled, "400 close"},
	})
}

func TestLesson43_Chunks(t *testing.T) {
	run(t, []rawCase{
		{"one", chunked("7\r\n{\"a\":1}\r\n0\r\n\r\n"), "201 open"},
		{"several", chunked("1\r\n{\r\n5\r\n\"a\":1\r\n1\r\n}\r\n0\r\n\r\n"), "201 open"},
		{"leading zeros", chunked("007\r\n{\"a\":1}\r\n000\r\n\r\n"), "201 open"},
		{"an extension", chunked("7;a=\"b\"\r\n{\"a\":1}\r\n0\r\n\r\n"), "201 open"},
		{"a trailer", chunked("7\r\n{\"a\":1}\r\n0\r\nX-Sum: 1\r\n\r\n"), "201 open"},
		{"none", chunked("0\r\n\r\n"), "400 open"}, // an empty body is no JSON, but it is well framed
		{"a size that overflows", chunked("10000000000000007\r\n{\"a\":1}\r\n0\r\n\r\n" + smuggled), "400 close"},
		{"a size that fills 64 bits", chunked("FFFFFFFFFFFFFFFF\r\n{\"a\":1}\r\n0\r\n\r\n" + smuggled), "400 close"},
		{"a negative size", chunked("-7\r\n{\"a\":1}\r\n0\r\n\r\n" + smuggled), "400 close"},
		{"size 0x7", chunked("0x7\r\n{\"a\":1}\r\n0\r\n\r\n" + smuggled), "400 close"},
		{"size +7", chunked("+7\r\n{\"a\":1}\r\n0\r\n\r\n" + smuggled), "400 close"},
		{"no size", chunked("\r\n{\"a\":1}\r\n0\r\n\r\n" + smuggled), "400 close"},
		{"size not in hex", chunked("g\r\n{\"a\":1}\r\n0\r\n\r\n" + smuggled), "400 close"},
		{"LF after the size", chunked("7\n{\"a\":1}\r\n0\r\n\r\n" + smuggled), "400 close"},
		{"LF in an extension", chunked("7;a\nb\r\n{\"a\":1}\r\n0\r\n\r\n" + smuggled), "400 close"},
		{"LF after the data", chunked("7\r\n{\"a\":1}\n0\r\n\r\n" + smuggled), "400 close"},
		{"data longer than its size", chunked("6\r\n{\"a\":1}\r\n0\r\n\r\n" + smuggled), "400 close"},
		{"a length in the trailer", chunked("7\r\n{\"a\":1}\r\n0\r\nContent-Length: 5\r\n\r\n" + smuggled), "400 close"},
		{"an encoding in the trailer", chunked("7\r\n{\"a\":1}\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n" + smuggled), "400 close"},
		{"a trailer without a colon", chunked("7\r\n{\"a\":1}\r\n0\r\nX\r\n\r\n" + smuggled), "400 close"},
	})
}

func TestRequestLines(t *testing.T) {
	host := "\r\nHost: test\r\n\r\n"
	run(t, []rawCase{
		{"an empty line before", "\r\n" + liveLine, "200 open"},
		{"HTTP/1.0", "GET /live HTTP/1.0\r\n\r\n" + smuggled, "200 close"},
		{"HTTP/1.0 that stays", "GET /live HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "200 open"},
		{"a later HTTP/1", "GET /live HTTP/1.2" + host, "200 close"},
		{"HTTP/2 in words", "GET /live HTTP/2.0" + host + smuggled, "505 close"},
		{"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + smuggled, "400 close"},
		{"HTTP/0.9", "GET /live\r\n\r\n" + smuggled, "400 close"},
		{"http/1.1", "GET /live http/1.1" + host + smuggled, "400 close"},
		{"HTTP/1.1x", "GET /live HTTP/1.1x" + host + smuggled, "400 close"},
		{"two spaces", "GET  /live HTTP/1.1" + host + smuggled, "400 close"},
		{"tabs", "GET\t/live\tHTTP/1.1" + host + smuggled, "400 close"},
		{"a space in the path", "GET /li ve HTTP/1.1" + host + smuggled, "400 close"},
		{"a control character in the path", "GET /li\x01ve HTTP/1.1" + host + smuggled, "400 close"},
		{"no path", "GET  HTTP/1.1" + host + smuggled, "400 close"},
		{"a method of another time", "GE(T /live HTTP/1.1" + host + smuggled, "400 close"},
		{"a method nobody knows", "BREW /live HTTP/1.1" + host, "405 open"},
		{"a method in lower case", "get /live HTTP/1.1" + host, "405 open"},
		{"absolute form", "GET http://test/live HTTP/1.1" + host, "200 open"},
		{"absolute form of another host", "GET http://other/live HTTP/1.1" + host, "200 open"},
		{"asterisk", "OPTIONS * HTTP/1.1" + host, "204 open"},
		{"asterisk for another method", "GET * HTTP/1.1" + host + smuggled, "400 close"},
		{"an upgrade nobody offers", "GET /live HTTP/1.1\r\nUpgrade: h2c\r\nConnection: upgrade" + host, "200 open"},
	})
}

func TestLesson42_RequestLineOf8000BytesPasses(t *testing.T) {
	line := func(n int) string {
		path := "/collections/raw?a[eq]="
		return "GET " + path + strings.Repeat("x", n-len("GET ")-len(path)-len(" HTTP/1.1")) + " HTTP/1.1\r\nHost: test\r\n\r\n"
	}
	run(t, []rawCase{
		{"8,000", line(8000), "200 open"},
		{"16,000", line(16000), "200 open"},
		{"20,000", line(20000) + smuggled, "431 close"},
		{"a header of 8,000", "GET /live HTTP/1.1\r\nHost: test\r\nX: " + strings.Repeat("x", 8000) + "\r\n\r\n", "200 open"},
		{"a header of 20,000", "GET /live HTTP/1.1\r\nHost: test\r\nX: " + strings.Repeat("x", 20000) + "\r\n\r\n" + smuggled, "431 close"},
		{"5,000 headers", "GET /live HTTP/1.1\r\nHost: test\r\n" + strings.Repeat("X: y\r\n", 5000) + "\r\n" + smuggled, "431 close"},
	})
}

func TestPipelining(t *testing.T) {
	run(t, []rawCase{
		{"two", liveLine + liveLine, "200 200 open"},
		{"a body and then a request", post("", `{"a":1}`) + liveLine, "201 200 open"},
		{"chunks and then a request", chunked("7\r\n{\"a\":1}\r\n0\r\n\r\n") + liveLine, "201 200 open"},
		{"a hundred", strings.Repeat(post("", `{"a":1}`), 100), strings.Repeat("201 ", 100) + "open"},
		{"an error and then a request", post("", `{"a":}`) + liveLine, "400 200 open"},
		{"no route and then a request", "GET /none HTTP/1.1\r\nHost: test\r\n\r\n" + liveLine, "404 200 open"},
		{"the last says close", liveLine + "GET /live HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n" + smuggled, "200 200 close"},
		{"the first says close", "GET /live HTTP/1.1\r\nHost: test\r\nConnection: Close\r\n\r\n" + smuggled, "200 close"},
		{"the second is none", liveLine + "nonsense\r\n\r\n" + smuggled, "200 400 close"},
		{"a GET with a body", "GET /live HTTP/1.1\r\nHost: test\r\nContent-Length: " + itoa(len(smuggled)) + "\r\n\r\n" + smuggled + liveLine, "200 200 open"},
		{"a body nobody reads", "POST /none HTTP/1.1\r\nHost: test\r\nContent-Length: " + itoa(len(smuggled)) + "\r\n\r\n" + smuggled + liveLine, "404 200 open"},
		{"a 204 and then a request", "OPTIONS /live HTTP/1.1\r\nHost: test\r\n\r\n" + liveLine, "204 200 open"},
		{"a wrong type and then a request", "POST /collections/raw HTTP/1.1\r\nHost: test\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}" + liveLine, "415 200 open"},
	})
}

// TestHalfSent: a client that stops in mid-request is answered 408 when its time is over, and
// nothing waits for it any longer.
func TestHalfSent(t *testing.T) {
	run(t, []rawCase{
		{"nothing", "", "408 close"},
		{"a part of the request line", "POST /coll", "408 close"},
		{"a request line", "GET /live HTTP/1.1\r\n", "408 close"},
		{"a part of the headers", postHead + "Content-Le", "408 close"},
		{"headers without their end", postHead + "Content-Length: 7\r\n", "408 close"},
		{"headers without a body", postHead + "Content-Length: 7\r\n\r\n", "408 close"},
		{"a part of the body", postHead + "Content-Length: 7\r\n\r\n{\"a", "408 close"},
		{"a part of a long body", postHead + "Content-Length: 90000\r\n\r\n{\"a", "408 close"},
		{"a part of a chunk", chunked("7\r\n{\"a"), "408 close"},
		{"chunks without their end", chunked("7\r\n{\"a\":1}\r\n"), "408 close"},
		{"a part of the trailer", chunked("7\r\n{\"a\":1}\r\n0\r\nX-"), "408 close"},
		{"lines that end in LF alone", strings.ReplaceAll(liveLine, "\r\n", "\n"), "408 close"}, // no end of the headers
		{"a request and a half", liveLine + "GET /li", "200 408 close"},
	})
}

// TestLesson44_ClientLeavesInMidBody: its request ends at once, not when its time is over.
func TestLesson44_ClientLeavesInMidBody(t *testing.T) {
	s, seen := rawServer(t)
	for _, part := range []string{postHead + "Content-Length: 7\r\n\r\n{\"a", chunked("7\r\n{\"a"), postHead + "Content-Le", "P"} {
		c := s.dial(t)
		if _, err := io.WriteString(c, part); err != nil {
			t.Fatal(err)
		}
		c.(*net.TCPConn).CloseWrite()
		got, closed := readStatuses(t, c, 1)
		if !closed || len(got) > 1 || (len(got) == 1 && got[0] != "400") {
			t.Errorf("%q and no more: %v, closed: %v", part, got, closed)
		}
		c = s.dial(t)
		io.WriteString(c, part)
		c.(*net.TCPConn).SetLinger(0) // leaves by a reset
		c.Close()
	}
	s.waitForQuiet(t)
	if seen.Load() > 0 || len(s.ids(t, "raw")) > 0 {
		t.Error("half a request was taken")
	}
}

// TestIdleConnectionsClose: without a word, when the idle time is over.
func TestIdleConnectionsClose(t *testing.T) {
	s, _ := rawServer(t)
	c := s.dial(t)
	io.WriteString(c, liveLine)
	if got, closed := readStatuses(t, c, 1); closed || strings.Join(got, " ") != "200" {
		t.Fatalf("answered %v, closed: %v", got, closed)
	}
	if rest, err := io.ReadAll(c); err != nil || len(rest) > 0 {
		t.Errorf("an idle connection ends with %q, %v", rest, err)
	}
	s.waitForQuiet(t)
}

// TestHEADHasNoBody reads the bytes themselves: nothing follows the headers but the next answer.
func TestHEADHasNoBody(t *testing.T) {
	s, _ := rawServer(t)
	s.do(t, "POST /collections/raw"+json+`{"_id":"a"}`)
	c := s.dial(t)
	io.WriteString(c, "HEAD /collections/raw/a HTTP/1.1\r\nHost: test\r\n\r\nGET /live HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
	all, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := bytes.Cut(all, []byte("\r\n\r\n"))
	if !bytes.Contains(head, []byte("Content-Length: 11")) || !bytes.HasPrefix(rest, []byte("HTTP/1.1 200")) {
		t.Errorf("HEAD and GET are answered\n%s", all)
	}
}
