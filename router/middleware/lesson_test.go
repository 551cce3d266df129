package middleware

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// Whichever way a path is spelled, it reaches the secret through the group's middleware or not at
// all.
func TestLesson16_NoSpellingSlipsPastAGroupsMiddleware(t *testing.T) {
	secret := func(c *router.Ctx) error { return c.Text(200, "secret") }
	m := compile(t, func(table *router.Table) {
		admin := table.Group("/admin", BearerToken("token"))
		admin.Get("/secret", secret)
		admin.Get("/files/{path...}", secret)
		table.Get("/public/{path...}", ok)
		table.Get("/{page}", ok)
	})
	for _, path := range []string{
		"/admin/secret", "/admin%2Fsecret", "/admin%2fsecret", "/%61dmin/secret", "/admin/%73ecret",
		"/./admin/secret", "/admin/./secret", "//admin/secret", "/admin//secret", "/admin/secret/",
		"/public/../admin/secret", "/public/%2e%2e/admin/secret", "/public%2F..%2Fadmin/secret",
		"/ADMIN/secret", "/admin/secret?x=1", "/admin/secret%00", "/admin;x/secret", "/admin/files/a/b",
		"/admin%2Ffiles/a", "/public/..%2Fadmin%2Fsecret", "http://example.org/admin/secret",
	} {
		ctx := ask(m, "GET", path)
		if bytes.Contains(ctx.Response.Body(), []byte("secret")) && ctx.Response.StatusCode() == 200 {
			t.Errorf("%s: %d without a token", path, ctx.Response.StatusCode())
		}
		if loc := ctx.Response.Header.Peek("Location"); loc != nil {
			t.Errorf("%s: redirected to %q", path, loc)
		}
	}
	for _, path := range []string{"/admin/secret", "/%61dmin/secret", "/admin/files/a/b"} {
		ctx := ask(m, "GET", path, "Authorization", "Bearer token")
		if string(ctx.Response.Body()) != "secret" {
			t.Errorf("%s with the token: %d", path, ctx.Response.StatusCode())
		}
	}
}

// A client that is refused is seen in the log, with its status.
func TestLesson45_RefusalsAreInTheLog(t *testing.T) {
	var out bytes.Buffer
	m := compile(t, func(table *router.Table) {
		table.Use(AccessLog(slog.New(slog.NewTextHandler(&out, nil))))
		table.Get("/", ok, RateLimit(RateLimitConfig{Rate: 0.001, Burst: 1}))
		table.Get("/closed", ok, BearerToken("token"))
		table.Post("/small", ok, BodyLimit(0))
	})
	ask(m, "GET", "/")
	ask(m, "GET", "/")
	ask(m, "GET", "/closed")
	var ctx fasthttp.RequestCtx
	ctx.Init(&fasthttp.Request{}, nil, nil)
	ctx.Request.Header.SetMethod("POST")
	ctx.Request.SetRequestURI("/small")
	ctx.Request.SetBodyString("x")
	m.Serve(&ctx)
	for _, status := range []string{"status=200", "status=429", "status=401", "status=413"} {
		if n := strings.Count(out.String(), status); n != 1 {
			t.Errorf("%s is in the log %d times, want once:\n%s", status, n, out.String())
		}
	}
}
