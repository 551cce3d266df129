package middleware

import (
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// Three middlewares are three calls: each is asked for its handler once, in Compile, and nothing is
// allocated at request time.
func TestThreeMiddlewaresCostThreeCallsAndNoAllocation(t *testing.T) {
	var wrapped, called int
	counter := func(next router.Handler) router.Handler {
		wrapped++
		return func(c *router.Ctx) error {
			called++
			return next(c)
		}
	}
	m := compile(t, func(table *router.Table) {
		table.Group("/g", counter).Get("/{id}", func(*router.Ctx) error { return nil }, counter, counter)
	})
	if wrapped != 3 {
		t.Errorf("the middlewares were asked %d times in Compile, want 3", wrapped)
	}
	ctx := &fasthttp.RequestCtx{}
	ctx.Init(&fasthttp.Request{}, nil, nil)
	ctx.Request.Header.SetMethod("GET")
	ctx.Request.SetRequestURI("/g/7")
	m.Serve(ctx)
	if called != 3 || wrapped != 3 {
		t.Errorf("one request: %d calls, want 3; asked %d times, want 3 as before", called, wrapped)
	}
	if allocs := testing.AllocsPerRun(100, func() { m.Serve(ctx) }); allocs != 0 {
		t.Errorf("%v allocations per request, want 0", allocs)
	}
}

// What every request goes through that has nothing to be refused allocates nothing either.
func TestPassingAllocatesNothing(t *testing.T) {
	for name, mw := range map[string]router.Middleware{
		"BodyLimit":   BodyLimit(1000),
		"Decompress":  Decompress(1000),
		"BearerToken": BearerToken("old", "secret"),
		"RateLimit":   RateLimit(RateLimitConfig{Rate: 1e9}),
		"CORS":        CORS(CORSConfig{Origins: []string{"*"}}),
	} {
		m := compile(t, func(table *router.Table) { table.Post("/", func(*router.Ctx) error { return nil }, mw) })
		ctx := &fasthttp.RequestCtx{}
		ctx.Init(&fasthttp.Request{}, nil, nil)
		ctx.Request.Header.SetMethod("POST")
		ctx.Request.SetRequestURI("/")
		ctx.Request.Header.Set("Authorization", "Bearer secret")
		ctx.Request.SetBodyString("body")
		m.Serve(ctx)
		if ctx.Response.StatusCode() != 200 {
			t.Errorf("%s: status %d", name, ctx.Response.StatusCode())
		}
		if allocs := testing.AllocsPerRun(100, func() { m.Serve(ctx) }); allocs != 0 {
			t.Errorf("%s: %v allocations per request, want 0", name, allocs)
		}
	}
}
