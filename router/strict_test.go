package router

import (
	"bufio"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

func headerOf(t testing.TB, text string) *fasthttp.RequestHeader {
	t.Helper()
	h := new(fasthttp.RequestHeader)
	if err := h.Read(bufio.NewReader(strings.NewReader(text))); err != nil {
		t.Fatalf("fasthttp refuses %q by itself: %v", text, err)
	}
	return h
}

// TestLesson43_WhatFasthttpTakes holds what fasthttp lets pass against RFC 9112. What it refuses by
// itself is tested over a socket, with the server as a whole.
func TestLesson43_WhatFasthttpTakes(t *testing.T) {
	post := "POST / HTTP/1.1\r\nHost: test\r\n"
	for _, c := range []struct {
		name, text string
		want       *Problem
	}{
		{"no headers but Host", "GET / HTTP/1.1\r\nHost: test\r\n\r\n", nil},
		{"none at all", "GET / HTTP/1.0\r\n\r\n", nil},
		{"length", post + "Content-Length: 5\r\n\r\n", nil},
		{"chunks", post + "Transfer-Encoding: chunked\r\n\r\n", nil},
		{"chunks in capitals", post + "TRANSFER-ENCODING:\t CHUNKED \r\n\r\n", nil},
		{"names of the same lengths", post + "Content-Lenxxx: 5\r\nTransfer-Encodxxx: chunked\r\n\r\n", nil},
		{"a space in a value", post + "User-Agent: a b\r\n\r\n", nil},
		{"length and chunks", post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", faultTwoSizes},
		{"chunks and length", post + "transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n", faultTwoSizes},
		{"identity", post + "Transfer-Encoding: identity\r\n\r\n", faultCoding},
		{"bare LF after the first", "GET / HTTP/1.1\r\nHost: test\nX: y\r\n\r\n", faultBareLF},
		{"bare LF after the last", "GET / HTTP/1.1\r\nHost: test\r\nX: y\n\r\n\r\n", faultBareLF},
		{"a bare LF for the empty line", "GET / HTTP/1.1\r\nHost: test\r\n\nX: y\r\n\r\n", faultBareLF},
		{"a folded line", "GET / HTTP/1.1\r\nHost: test\r\nX: a\r\n b\r\n\r\n", faultFold},
		{"a line folded by a tab", "GET / HTTP/1.1\r\nHost: test\r\nX: a\r\n\tb\r\n\r\n", faultFold},
		{"a name with a space", "GET / HTTP/1.1\r\nHost: test\r\nX Y: a\r\n\r\n", faultName},
		{"HTTP/2.0", "GET / HTTP/2.0\r\nHost: test\r\n\r\n", faultVersion},
		{"HTTP/0.9", "GET / HTTP/0.9\r\nHost: test\r\n\r\n", faultVersion},
	} {
		if got := framingFault(headerOf(t, c.text)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// BenchmarkStrict is what the check costs a request: of a browser, and of a load generator.
func BenchmarkStrict(b *testing.B) {
	for name, text := range map[string]string{
		"browser": "POST /collections/answers HTTP/1.1\r\nHost: example.org\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n" +
			"Accept: application/json\r\nAccept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br, zstd\r\nContent-Type: application/json\r\n" +
			"Content-Length: 276\r\nOrigin: https://example.org\r\nConnection: keep-alive\r\nReferer: https://example.org/survey\r\nSec-Fetch-Dest: empty\r\nSec-Fetch-Mode: cors\r\n\r\n",
		"client": "POST /survey/customer/7 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Type: application/json\r\nContent-Length: 276\r\n\r\n",
	} {
		b.Run(name, func(b *testing.B) {
			h := headerOf(b, text)
			b.ReportAllocs()
			for b.Loop() {
				if framingFault(h) != nil {
					b.Fatal("refused")
				}
			}
		})
	}
}
