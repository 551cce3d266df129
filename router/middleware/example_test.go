package middleware_test

import (
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
	"github.com/rapidrest/rapidrest/router/middleware"
)

// show serves one request and prints the status and some headers of the answer.
func show(table *router.Table, method, path string, header map[string]string, names ...string) {
	matcher, err := table.Compile()
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := &fasthttp.RequestCtx{}
	ctx.Init(&fasthttp.Request{}, nil, nil)
	ctx.Request.Header.SetMethod(method)
	ctx.Request.SetRequestURI(path)
	for name, value := range header {
		ctx.Request.Header.Set(name, value)
	}
	matcher.Serve(ctx)
	resp := &ctx.Response
	if late := ctx.LastTimeoutErrorResponse(); late != nil {
		resp = late
	}
	fmt.Println(resp.StatusCode())
	for _, name := range names {
		fmt.Printf("%s: %s\n", name, resp.Header.Peek(name))
	}
}

func hello(c *router.Ctx) error { return c.Text(fasthttp.StatusOK, "hello") }

func ExampleRequestID() {
	table := router.New()
	table.Use(middleware.RequestID())
	table.Get("/hello", hello)
	show(table, "GET", "/hello", map[string]string{"X-Request-Id": "7f-3a"}, "X-Request-Id")
	// Output:
	// 200
	// X-Request-Id: 7f-3a
}

func ExampleAccessLog() {
	// A log without what differs from run to run.
	steady := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "took" {
			return slog.Attr{}
		}
		return a
	}}
	table := router.New()
	table.Use(middleware.RequestID(), middleware.AccessLog(slog.New(slog.NewTextHandler(os.Stdout, steady))))
	table.Get("/notes/{id}", hello)
	show(table, "GET", "/notes/7?key=secret", map[string]string{"X-Request-Id": "7f-3a"})
	// Output:
	// level=INFO msg=request method=GET path=/notes/7 route=/notes/{id} status=200 bytes=5 client=0.0.0.0:0 request_id=7f-3a
	// 200
}

func ExampleCORS() {
	table := router.New()
	table.Use(middleware.CORS(middleware.CORSConfig{Origins: []string{"https://app.example.org"}}))
	table.Get("/hello", hello)
	show(table, "OPTIONS", "/hello", map[string]string{
		"Origin":                        "https://app.example.org",
		"Access-Control-Request-Method": "GET",
	}, "Access-Control-Allow-Origin", "Access-Control-Max-Age")
	// Output:
	// 204
	// Access-Control-Allow-Origin: https://app.example.org
	// Access-Control-Max-Age: 600
}

func ExampleTimeout() {
	table := router.New()
	table.Get("/slow", func(c *router.Ctx) error {
		<-middleware.Context(c).Done() // what a database call would do that was given this context
		select {}                      // and this is a handler that does not come back at all
	}, middleware.Timeout(middleware.TimeoutConfig{After: time.Millisecond}))
	show(table, "GET", "/slow", nil, "Content-Type")
	// Output:
	// 503
	// Content-Type: application/problem+json
}

func ExampleRateLimit() {
	table := router.New()
	table.Get("/hello", hello, middleware.RateLimit(middleware.RateLimitConfig{Rate: 0.1, Burst: 1}))
	show(table, "GET", "/hello", nil)
	show(table, "GET", "/hello", nil, "Retry-After")
	// Output:
	// 200
	// 429
	// Retry-After: 10
}

func ExampleBearerToken() {
	table := router.New()
	table.Group("/api", middleware.BearerToken("s3cret")).Get("/hello", hello)
	show(table, "GET", "/api/hello", map[string]string{"Authorization": "Bearer s3cret"})
	show(table, "GET", "/api/hello", map[string]string{"Authorization": "Bearer guess"}, "WWW-Authenticate")
	// Output:
	// 200
	// 401
	// WWW-Authenticate: Bearer error="invalid_token"
}

func ExampleDecompress() {
	table := router.New()
	table.Post("/hello", hello, middleware.BodyLimit(64<<10), middleware.Decompress(1<<20))
	show(table, "POST", "/hello", map[string]string{"Content-Encoding": "compress"}, "Accept-Encoding")
	// Output:
	// 415
	// Accept-Encoding: gzip, deflate, br, zstd
}

func ExampleETag() {
	table := router.New()
	table.Use(middleware.ETag())
	table.Get("/hello", hello)
	show(table, "GET", "/hello", nil, "ETag")
	show(table, "GET", "/hello", map[string]string{"If-None-Match": `"2cf24dba5fb0a30e26e83b2ac5b9e29e"`})
	// Output:
	// 200
	// ETag: "2cf24dba5fb0a30e26e83b2ac5b9e29e"
	// 304
}

func ExampleNotModified() {
	table := router.New()
	table.Get("/report", func(c *router.Ctx) error {
		if middleware.NotModified(c, middleware.WeakTag("2026-11-30")) {
			return nil // what would have been expensive to make
		}
		return c.Text(fasthttp.StatusOK, "the report")
	})
	show(table, "GET", "/report", map[string]string{"If-None-Match": `W/"2026-11-30"`}, "ETag")
	// Output:
	// 304
	// ETag: W/"2026-11-30"
}
