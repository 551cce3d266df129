package middleware

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/rapidrest/rapidrest/router"
)

func TestRequestIDKeepsASaneOneAndReplacesTheRest(t *testing.T) {
	m := compile(t, func(table *router.Table) {
		table.Use(RequestID())
		table.Get("/id", func(c *router.Ctx) error { return c.Text(200, c.RequestID()) })
	})
	long := strings.Repeat("a", 128)
	for _, tt := range []struct {
		sent string
		kept bool
	}{
		{"7b3f-A_b.c:d/e+f=@", true},
		{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true},
		{long, true},
		{long + "a", false},
		{"", false},
		{"two words", false},
		{"a,b", false},
		{`a"b`, false},
		{"a\x01b", false},
		{"é", false},
	} {
		ctx := ask(m, "GET", "/id", "X-Request-Id", tt.sent)
		id := string(ctx.Response.Header.Peek("X-Request-Id"))
		if body := string(ctx.Response.Body()); body != id {
			t.Errorf("%q: the handler saw %q, the client %q", tt.sent, body, id)
		}
		if tt.kept && id != tt.sent {
			t.Errorf("%q was replaced by %q", tt.sent, id)
		}
		if !tt.kept && (len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "") {
			t.Errorf("%q became %q, want 32 hex digits", tt.sent, id)
		}
	}
}

func TestRequestIDIsOnErrorsAndNeverTwice(t *testing.T) {
	m := compile(t, func(table *router.Table) {
		table.Logger = slog.New(slog.DiscardHandler)
		table.Use(RequestID())
		table.Get("/panic", func(*router.Ctx) error { panic("here") })
	})
	seen := map[string]bool{}
	for _, path := range []string{"/panic", "/nowhere", "/panic", "/nowhere"} {
		ctx := ask(m, "GET", path)
		id := string(ctx.Response.Header.Peek("X-Request-Id"))
		if id == "" || seen[id] {
			t.Errorf("%s: id %q is missing or was given before", path, id)
		}
		seen[id] = true
	}
}
