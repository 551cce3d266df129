package middleware

import (
	"testing"
	"time"

	"github.com/rapidrest/rapidrest/router"
)

func corsTable(t *testing.T, cfg CORSConfig) *router.Matcher {
	return compile(t, func(table *router.Table) {
		table.Use(CORS(cfg))
		table.Get("/notes", ok)
		table.Get("/refused", func(*router.Ctx) error { return router.NewProblem(403, "") })
	})
}

func TestCORSAnswersAPreflight(t *testing.T) {
	m := corsTable(t, CORSConfig{Origins: []string{"https://app.example.org"}, Credentials: true, MaxAge: time.Hour,
		Methods: []string{"GET", "PUT"}, Headers: []string{"Content-Type", "X-Own"}})
	ctx := ask(m, "OPTIONS", "/notes", "Origin", "https://app.example.org", "Access-Control-Request-Method", "PUT")
	want := map[string]string{
		"Access-Control-Allow-Origin":      "https://app.example.org",
		"Access-Control-Allow-Credentials": "true",
		"Access-Control-Allow-Methods":     "GET, PUT",
		"Access-Control-Allow-Headers":     "Content-Type, X-Own",
		"Access-Control-Max-Age":           "3600",
	}
	for name, value := range want {
		if got := string(ctx.Response.Header.Peek(name)); got != value {
			t.Errorf("%s: %q, want %q", name, got, value)
		}
	}
	if ctx.Response.StatusCode() != 204 || len(ctx.Response.Body()) != 0 {
		t.Errorf("status %d, body %q", ctx.Response.StatusCode(), ctx.Response.Body())
	}
}

func TestCORSTellsNothingToAnotherOrigin(t *testing.T) {
	m := corsTable(t, CORSConfig{Origins: []string{"https://example.org"}})
	for _, origin := range []string{"https://evil-example.org", "http://example.org", "https://example.org.evil.test", "https://example.org:8443", "null", ""} {
		for _, method := range []string{"GET", "OPTIONS"} {
			ctx := ask(m, method, "/notes", "Origin", origin, "Access-Control-Request-Method", "GET")
			for name := range ctx.Response.Header.All() {
				if len(name) > 15 && string(name[:15]) == "Access-Control-" {
					t.Errorf("%s from %q: the answer has %s", method, origin, name)
				}
			}
			if vary := string(ctx.Response.Header.Peek("Vary")); vary == "" {
				t.Errorf("%s from %q: no Vary, so that a cache could give this answer to an origin that is allowed", method, origin)
			}
		}
	}
}

func TestCORSLetsAPageReadErrorsToo(t *testing.T) {
	m := corsTable(t, CORSConfig{Origins: []string{"https://example.org"}})
	for path, status := range map[string]int{"/notes": 200, "/refused": 403, "/nowhere": 404} {
		ctx := ask(m, "GET", path, "Origin", "https://example.org")
		if got := string(ctx.Response.Header.Peek("Access-Control-Allow-Origin")); got != "https://example.org" || ctx.Response.StatusCode() != status {
			t.Errorf("%s: status %d, Access-Control-Allow-Origin %q", path, ctx.Response.StatusCode(), got)
		}
		if got := string(ctx.Response.Header.Peek("Access-Control-Expose-Headers")); got != "ETag, Location, Retry-After, X-Request-Id" {
			t.Errorf("%s: Access-Control-Expose-Headers %q", path, got)
		}
	}
}

func TestCORSStarWithoutCredentialsOnly(t *testing.T) {
	for _, tt := range []struct {
		credentials bool
		want        string
	}{{false, "*"}, {true, ""}} {
		m := corsTable(t, CORSConfig{Origins: []string{"*"}, Credentials: tt.credentials})
		ctx := ask(m, "GET", "/notes", "Origin", "https://anywhere.test")
		if got := string(ctx.Response.Header.Peek("Access-Control-Allow-Origin")); got != tt.want {
			t.Errorf("credentials %v: Access-Control-Allow-Origin %q, want %q", tt.credentials, got, tt.want)
		}
	}
}

func TestCORSLeavesOrdinaryOptionsToTheRouter(t *testing.T) {
	m := corsTable(t, CORSConfig{Origins: []string{"*"}})
	ctx := ask(m, "OPTIONS", "/notes")
	if ctx.Response.StatusCode() != 204 || len(ctx.Response.Header.Peek("Allow")) == 0 {
		t.Errorf("status %d, Allow %q", ctx.Response.StatusCode(), ctx.Response.Header.Peek("Allow"))
	}
}
