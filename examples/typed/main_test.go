package main

import (
	"log/slog"
	"net"
	"testing"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"github.com/rapidrest/rapidrest/router"
)

func TestNotebook(t *testing.T) {
	matcher, err := routes(newNotebook(), "secret", slog.New(slog.DiscardHandler)).Compile()
	if err != nil {
		t.Fatal(err)
	}
	ln := fasthttputil.NewInmemoryListener()
	done := make(chan error, 1)
	server := router.NewServer(matcher, router.Limits{})
	go func() { done <- server.Serve(ln) }()
	t.Cleanup(func() {
		ln.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	client := &fasthttp.Client{Dial: func(string) (net.Conn, error) { return ln.Dial() }}

	for _, tt := range []struct {
		method, path, token, body string
		status                    int
		want                      string // "" is not looked at
	}{
		{"GET", "/api/notes", "", "", 200, `[]`},
		{"POST", "/api/notes", "", `{"text":"milk"}`, 401, ""},
		{"POST", "/api/notes", "guess", `{"text":"milk"}`, 401, ""},
		{"POST", "/api/notes", "secret", `{"text":"milk"}`, 201, `{"id":1,"text":"milk"}`},
		{"POST", "/api/notes", "secret", `{"text":"bread"}`, 201, `{"id":2,"text":"bread"}`},
		{"POST", "/api/notes", "secret", `{"text":" "}`, 422, ""},
		{"POST", "/api/notes", "secret", `{"text":`, 400, ""},
		{"PUT", "/api/notes/2", "secret", `{"text":"rye"}`, 200, `{"id":2,"text":"rye"}`},
		{"PUT", "/api/notes/7", "secret", `{"text":"rye"}`, 404, ""},
		{"GET", "/api/notes/2", "", "", 200, `{"id":2,"text":"rye"}`},
		{"GET", "/api/notes/two", "", "", 404, ""},
		{"DELETE", "/api/notes/1", "secret", "", 204, ``},
		{"DELETE", "/api/notes/1", "secret", "", 404, ""},
		{"GET", "/api/notes", "", "", 200, `[{"id":2,"text":"rye"}]`},
	} {
		var req fasthttp.Request
		var resp fasthttp.Response
		req.Header.SetMethod(tt.method)
		req.SetRequestURI("http://example.org" + tt.path)
		if tt.token != "" {
			req.Header.Set("Authorization", "Bearer "+tt.token)
		}
		if tt.body != "" {
			req.Header.SetContentType("application/json")
			req.SetBodyString(tt.body)
		}
		if err := client.Do(&req, &resp); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode() != tt.status || tt.want != "" && string(resp.Body()) != tt.want {
			t.Errorf("%s %s %s: %d %s; want %d %s", tt.method, tt.path, tt.body, resp.StatusCode(), resp.Body(), tt.status, tt.want)
		}
	}
}
