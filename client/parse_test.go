package client

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// parseAll feeds text in pieces of the given size and returns the statuses of whole answers.
func parseAll(text []byte, piece int, bodiless bool) (statuses []int, p parser, err error) {
	var in []byte
	for len(text) > 0 || len(in) > 0 {
		step := min(piece, len(text))
		in = append(in, text[:step]...)
		text = text[step:]
		for len(in) > 0 {
			n, done, err := p.feed(in, bodiless)
			in = in[n:]
			if err != nil {
				return statuses, p, err
			}
			if !done {
				break
			}
			statuses = append(statuses, p.status)
		}
		if step == 0 {
			break
		}
	}
	return statuses, p, nil
}

func TestParser(t *testing.T) {
	const chunked = "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n"
	for _, test := range []struct {
		text  string
		want  []int
		close bool
	}{
		{ok200 + ok200, []int{200, 200}, false},
		{"HTTP/1.1 204 No Content\r\n\r\n" + ok200, []int{204, 200}, false},
		{"HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n" + ok200, []int{304, 200}, false},
		{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok200, []int{200}, false},
		{chunked + chunked + ok200, []int{201, 201, 200}, false},
		{"HTTP/1.1 200\r\ncontent-LENGTH:2\r\nconnection: Keep-Alive, CLOSE\r\n\r\nok", []int{200}, true},
		{"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", []int{200}, true},
		{"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", []int{200}, false},
		{"HTTP/1.1 200 OK\nContent-Length: 2\n\nok", []int{200}, false},
		{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok", []int{200}, false},
		{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", []int{200}, true},
		{"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", nil, false},
		{"HTTP/1.1 200 OK\r\n\r\nuntil the end", nil, true},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok", nil, true},
	} {
		for _, piece := range []int{1, 2, 7, 1000} {
			got, p, err := parseAll([]byte(test.text), piece, false)
			if err != nil || !slices.Equal(got, test.want) || p.close != test.close {
				t.Errorf("%q in pieces of %d: %v, close %v, %v", test.text, piece, got, p.close, err)
			}
		}
	}
}

func TestParserRefuses(t *testing.T) {
	for _, text := range []string{
		"\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/2 200 OK\r\n", "http/1.1 200 OK\r\n", "HTTP/1.1  200 OK\r\n", "HTTP/1.1 099 X\r\n",
		"HTTP/1.1 101 Switching Protocols\r\n\r\n",
		"HTTP/1.1 200 OK\r\nno colon\r\n", "HTTP/1.1 200 OK\r\n: x\r\n", "HTTP/1.1 200 OK\r\nX: y\r\n folded: z\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n", "HTTP/1.1 200 OK\r\nContent-Length:\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5x\r\n",
	} {
		if got, _, err := parseAll([]byte(text), 1000, false); err == nil || !strings.HasPrefix(err.Error(), "client: ") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// The way the bytes are cut into reads changes nothing, and what net/http takes as a row of
// answers is read as the same row.
func FuzzParser(f *testing.F) {
	f.Add([]byte(ok200+ok200), 3, false)
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"), 1, false)
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 404 No\r\n\r\nbody"), 5, true)
	f.Fuzz(func(t *testing.T, text []byte, piece int, bodiless bool) {
		if piece <= 0 {
			piece = 1
		}
		whole, wp, werr := parseAll(text, len(text)+1, bodiless)
		parts, pp, perr := parseAll(text, piece, bodiless)
		if fmt.Sprint(werr) != fmt.Sprint(perr) || !slices.Equal(whole, parts) || werr == nil && wp != pp {
			t.Errorf("whole: %v, %v; in pieces of %d: %v, %v", whole, werr, piece, parts, perr)
		}
		if want, ok := parseNet(text, bodiless); ok && werr == nil && !slices.Equal(whole, want) {
			t.Errorf("%v, and net/http reads %v", whole, want)
		}
	})
}

// parseNet reads with net/http for as long as answers are framed and final; ok is false
// where it is stricter or laxer by design.
func parseNet(text []byte, bodiless bool) (statuses []int, ok bool) {
	method := "GET"
	if bodiless {
		method = "HEAD"
	}
	in := bufio.NewReader(bytes.NewReader(text))
	for {
		if _, err := in.Peek(1); err != nil {
			return statuses, true
		}
		r, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil || r.StatusCode < 100 || r.ProtoMajor != 1 {
			return nil, false
		}
		if r.StatusCode < 200 {
			continue
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, false
		}
		if r.ContentLength < 0 && len(r.TransferEncoding) == 0 && !bodiless && r.StatusCode != 204 && r.StatusCode != 304 {
			return nil, false // ended by the connection: whole only when that is closed
		}
		statuses = append(statuses, r.StatusCode)
	}
}

func TestHotLoopAllocatesNothing(t *testing.T) {
	c, err := Config{URL: "http://x/{user}/{n}"}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	target, err := parseTarget(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	templates := newTemplates(&c, &target)
	out := make([]byte, 0, 1024)
	answer := []byte(ok200)
	var p parser
	var n int64
	allocs := testing.AllocsPerRun(1000, func() {
		out = templates[n%3].append(out[:0], n)
		n++
		if _, done, err := p.feed(answer, false); !done || err != nil {
			t.Error(done, err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations a request", allocs)
	}
}

func BenchmarkParser(b *testing.B) {
	answer := []byte("HTTP/1.1 201 Created\r\nServer: fasthttp\r\nDate: Mon, 30 Nov 2026 10:00:00 GMT\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
	var p parser
	b.ReportAllocs()
	for b.Loop() {
		if _, done, err := p.feed(answer, false); !done || err != nil {
			b.Fatal(done, err)
		}
	}
}
