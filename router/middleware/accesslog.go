package middleware

import (
	"context"
	"log/slog"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// loggedPath is as much of a path as one line of the log holds, in bytes.
const loggedPath = 1024

// AccessLog writes a line for every answer: method, path, route, status, bytes of the answer's
// body, duration, client and request id. Answers of 500 and more are errors, the others
// information. nil is slog.Default(), asked at every request.
//
// The query is not logged, because secrets travel in it, and of a path no more than its first 1,024
// bytes. Put AccessLog inside RequestID and outside of everything else. The duration ends when the
// handler returns; writing the answer to the socket comes after that.
func AccessLog(logger *slog.Logger) router.Middleware {
	return func(next router.Handler) router.Handler {
		return func(c *router.Ctx) (err error) {
			out := logger
			if out == nil {
				out = slog.Default()
			}
			start := time.Now()
			// A panic is answered further out, with 500. It still has its line here, and goes on.
			status := fasthttp.StatusInternalServerError
			defer func() { writeAccess(out, c, status, time.Since(start)) }()
			err = next(c)
			status = statusOf(c, err)
			return err
		}
	}
}

// statusOf is the status that the client is going to see. Where Timeout has answered, the handler
// may still be at work on the response, which is then not ours to look at.
func statusOf(c *router.Ctx, err error) int {
	if p := router.AsProblem(err); p != nil {
		return p.Status
	}
	return answer(c).StatusCode()
}

// answer is the response that is going to be sent.
func answer(c *router.Ctx) *fasthttp.Response {
	if late := c.LastTimeoutErrorResponse(); late != nil {
		return late
	}
	return &c.Response
}

func writeAccess(out *slog.Logger, c *router.Ctx, status int, took time.Duration) {
	level := slog.LevelInfo
	if status >= 500 {
		level = slog.LevelError
	}
	if !out.Enabled(context.Background(), level) {
		return
	}
	path := c.Request.URI().PathOriginal()
	pattern := ""
	if route := c.Route(); route != nil {
		pattern = route.Pattern()
	}
	out.LogAttrs(context.Background(), level, "request",
		slog.String("method", string(c.Method())),
		slog.String("path", string(path[:min(len(path), loggedPath)])),
		slog.String("route", pattern),
		slog.Int("status", status),
		slog.Int("bytes", bodyBytes(c)),
		slog.Duration("took", took),
		slog.String("client", c.RemoteAddr().String()),
		slog.String("request_id", c.RequestID()),
	)
}

// bodyBytes is the length of the answer's body, -1 where it is streamed and its length is not known.
// The body of an error that a handler has returned is not written yet, and counts 0.
func bodyBytes(c *router.Ctx) int {
	resp := answer(c)
	if resp.IsBodyStream() {
		return resp.Header.ContentLength()
	}
	return len(resp.Body())
}
