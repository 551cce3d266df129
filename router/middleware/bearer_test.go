package middleware

import (
	"testing"

	"github.com/rapidrest/rapidrest/router"
)

func TestBearerToken(t *testing.T) {
	m := compile(t, func(table *router.Table) {
		table.Get("/", ok, BearerToken("old-token", "new-token", ""))
		table.Get("/closed", ok, BearerToken())
	})
	const missing, wrong = "Bearer", `Bearer error="invalid_token"`
	for _, tt := range []struct {
		path, authorization, challenge string
	}{
		{"/", "Bearer old-token", ""},
		{"/", "Bearer new-token", ""},
		{"/", "bearer new-token", ""},
		{"/", "BEARER   new-token ", ""},
		{"/", "", missing},
		{"/", "Bearer", missing},
		{"/", "Bearer ", missing},
		{"/", "Basic bmV3LXRva2Vu", missing},
		{"/", "new-token", missing},
		{"/", "Bearer new-toke", wrong},
		{"/", "Bearer new-tokenn", wrong},
		{"/", "Bearer New-token", wrong},
		{"/", "Bearer new-token, old-token", wrong},
		{"/closed", "Bearer new-token", wrong},
		{"/closed", "Bearer ", missing},
	} {
		ctx := ask(m, "GET", tt.path, "Authorization", tt.authorization)
		if tt.challenge == "" {
			if ctx.Response.StatusCode() != 200 {
				t.Errorf("%q: %d, want 200", tt.authorization, ctx.Response.StatusCode())
			}
			continue
		}
		problem(t, &ctx.Response, 401)
		if got := string(ctx.Response.Header.Peek("WWW-Authenticate")); got != tt.challenge {
			t.Errorf("%q: WWW-Authenticate %q, want %q", tt.authorization, got, tt.challenge)
		}
	}
}

// The place of the token that fits must not show: every digest is compared, whichever was equal.
func TestBearerTokenFindsEachOfMany(t *testing.T) {
	tokens := []string{"a", "b", "c", "d", "a"}
	m := compile(t, func(table *router.Table) { table.Get("/", ok, BearerToken(tokens...)) })
	for _, token := range tokens {
		if ctx := ask(m, "GET", "/", "Authorization", "Bearer "+token); ctx.Response.StatusCode() != 200 {
			t.Errorf("token %q: %d", token, ctx.Response.StatusCode())
		}
	}
}
