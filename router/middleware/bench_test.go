package middleware

import (
	"log/slog"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// What a request pays for a middleware that has nothing to refuse; "none" is the route alone.
func BenchmarkPassing(b *testing.B) {
	pass := func(next router.Handler) router.Handler { return func(c *router.Ctx) error { return next(c) } }
	for _, bb := range []struct {
		name string
		mw   []router.Middleware
	}{
		{"none", nil},
		{"three calls", []router.Middleware{pass, pass, pass}},
		{"RequestID", []router.Middleware{RequestID()}},
		{"AccessLog", []router.Middleware{AccessLog(slog.New(slog.DiscardHandler))}},
		{"CORS", []router.Middleware{CORS(CORSConfig{Origins: []string{"*"}})}},
		{"BodyLimit", []router.Middleware{BodyLimit(1 << 20)}},
		{"Decompress", []router.Middleware{Decompress(1 << 20)}},
		{"BearerToken", []router.Middleware{BearerToken("secret")}},
		{"RateLimit", []router.Middleware{RateLimit(RateLimitConfig{Rate: 1e9})}},
		{"Timeout", []router.Middleware{Timeout(TimeoutConfig{})}},
		{"ETag", []router.Middleware{ETag()}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			m := compile(b, func(table *router.Table) { table.Get("/", ok, bb.mw...) })
			ctx := &fasthttp.RequestCtx{}
			ctx.Init(&fasthttp.Request{}, nil, nil)
			ctx.Request.SetRequestURI("/")
			ctx.Request.Header.Set("Authorization", "Bearer secret")
			b.ReportAllocs()
			for b.Loop() {
				ctx.Response.Reset()
				m.Serve(ctx)
			}
		})
	}
}
