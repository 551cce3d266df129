package middleware

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

func limited(limit int) func(*router.Table) {
	return func(table *router.Table) {
		table.Post("/", func(c *router.Ctx) error { return c.Text(200, string(c.PostBody())) }, BodyLimit(limit))
	}
}

// Both ways that a server may read bodies, and both ways that a client may frame them.
func TestLesson44_ABodyOverTheLimitEndsTheConnection(t *testing.T) {
	for _, stream := range []bool{false, true} {
		for _, chunked := range []bool{false, true} {
			for _, length := range []int{0, 9, 10, 11, 100_000} {
				t.Run(fmt.Sprintf("stream=%v/chunked=%v/%d", stream, chunked, length), func(t *testing.T) {
					c := serve(t, &fasthttp.Server{StreamRequestBody: stream}, limited(10))
					body := strings.Repeat("x", length)
					head, text := fmt.Sprintf("POST / HTTP/1.1\nContent-Length: %d", length), body
					if chunked {
						head, text = "POST / HTTP/1.1\nTransfer-Encoding: chunked", "0\r\n\r\n"
						if length > 0 {
							text = fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", length, body)
						}
					}
					go func() { // the server may close before it has read everything
						io.WriteString(c, strings.ReplaceAll(head, "\n", "\r\n")+"\r\nHost: h\r\n\r\n"+text)
					}()
					resp := c.receive(t, false)
					if length <= 10 {
						if resp.StatusCode() != 200 || string(resp.Body()) != body || resp.ConnectionClose() {
							t.Errorf("status %d, close %v, body %q", resp.StatusCode(), resp.ConnectionClose(), resp.Body())
						}
						return
					}
					if limit := problem(t, resp, 413)["limit"]; limit != 10.0 {
						t.Errorf("limit %v, want 10", limit)
					}
					if !resp.ConnectionClose() {
						t.Error("the connection stays open")
					}
				})
			}
		}
	}
}

func TestBodyLimitOfNothingTakesNoBody(t *testing.T) {
	for _, limit := range []int{0, -1} {
		c := serve(t, &fasthttp.Server{}, limited(limit))
		c.send(t, "POST / HTTP/1.1\nContent-Length: 0", "")
		if resp := c.receive(t, false); resp.StatusCode() != 200 {
			t.Errorf("limit %d: an empty body: %d", limit, resp.StatusCode())
		}
		c.send(t, "POST / HTTP/1.1\nContent-Length: 1", "x")
		problem(t, c.receive(t, false), 413)
	}
}
