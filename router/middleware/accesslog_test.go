package middleware

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/rapidrest/rapidrest/router"
)

func TestAccessLogWritesALineForEveryAnswer(t *testing.T) {
	var out bytes.Buffer
	m := compile(t, func(table *router.Table) {
		table.Logger = slog.New(slog.DiscardHandler)
		table.Use(RequestID(), AccessLog(slog.New(slog.NewJSONHandler(&out, nil))))
		table.Get("/notes/{id}", func(c *router.Ctx) error { return c.Text(200, "12345") })
		table.Get("/gone", func(*router.Ctx) error { return router.NewProblem(410, "") })
		table.Get("/fails", func(*router.Ctx) error { return bytes.ErrTooLarge })
		table.Get("/panics", func(*router.Ctx) error { panic("here") })
	})
	for _, tt := range []struct {
		method, path  string
		route, level  string
		status, bytes int
	}{
		{"GET", "/notes/7?token=secret", "/notes/{id}", "INFO", 200, 5},
		{"GET", "/gone", "/gone", "INFO", 410, 0},
		{"GET", "/fails", "/fails", "ERROR", 500, 0},
		{"GET", "/panics", "/panics", "ERROR", 500, 0},
		{"GET", "/nowhere", "", "INFO", 404, -1},
		{"DELETE", "/gone", "", "INFO", 405, -1},
	} {
		out.Reset()
		ctx := ask(m, tt.method, tt.path, "X-Request-Id", "id-1")
		if tt.bytes < 0 { // what the router answers by itself is there already
			tt.bytes = len(ctx.Response.Body())
		}
		var line struct {
			Level, Msg, Method, Path, Route, Client string
			ID                                      string `json:"request_id"`
			Status, Bytes                           int
			Took                                    *int64
		}
		if err := json.Unmarshal(out.Bytes(), &line); err != nil {
			t.Fatalf("%s: %q: %v", tt.path, out.Bytes(), err)
		}
		path, _, _ := strings.Cut(tt.path, "?")
		if line.Msg != "request" || line.Method != tt.method || line.Path != path || line.Route != tt.route || line.Level != tt.level ||
			line.Status != tt.status || line.Bytes != tt.bytes || line.ID != "id-1" || line.Took == nil || line.Client == "" {
			t.Errorf("%s %s: %s", tt.method, tt.path, out.Bytes())
		}
		if bytes.Contains(out.Bytes(), []byte("secret")) {
			t.Errorf("the query is in the log: %s", out.Bytes())
		}
	}
}

func TestAccessLogCutsALongPath(t *testing.T) {
	var out bytes.Buffer
	m := compile(t, func(table *router.Table) {
		table.Use(AccessLog(slog.New(slog.NewJSONHandler(&out, nil))))
	})
	ask(m, "GET", "/"+strings.Repeat("x", 8000))
	if n := strings.Count(out.String(), "x"); n != loggedPath-1 {
		t.Errorf("%d bytes of the path in the log, want %d", n, loggedPath-1)
	}
}
