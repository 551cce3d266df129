package baseline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rapidrest/rapidrest/baseline"
	"github.com/valyala/fasthttp"
)

// do sends one request through the handler, without a socket.
func do(s *baseline.Server, method, uri, body string) *fasthttp.Response {
	var ctx fasthttp.RequestCtx
	ctx.Request.Header.SetMethod(method)
	ctx.Request.SetRequestURI(uri)
	ctx.Request.SetBodyString(body)
	s.Handler(&ctx)
	return &ctx.Response
}

func ExampleServer_Handler() {
	s := baseline.New(baseline.Config{}) // no database: it stores nothing
	res := do(s, "POST", "/surveynodb/customer/ann", `{"q1":5}`)
	fmt.Println(res.StatusCode(), string(res.Body()))
	// Output: 200 {"stored":false}
}

func TestRoutes(t *testing.T) {
	const (
		text    = "text/plain; charset=utf-8"
		jsonT   = "application/json"
		problem = "application/problem+json"
		id      = `^{"_id":"[0-9a-f]{24}"}$`
	)
	deep := func(n int) string {
		s := ""
		for range n {
			s += `{"a":`
		}
		s += "1"
		for range n {
			s += "}"
		}
		return s
	}
	tests := []struct {
		method, uri, body string
		status            int
		contentType       string
		want              string // a regular expression
	}{
		{"GET", "/hello", "", 200, text, `^Hello world!$`},
		{"GET", "/hello?x=1", "", 200, text, `^Hello world!$`},
		{"GET", "/timestamp", "", 200, jsonT, `^{"timestamp":\d{13}}$`},
		{"POST", "/documents", "ignored", 201, jsonT,
			`^{"_id":"[0-9a-f]{24}","title":"Document [0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"}$`},
		{"GET", "/documents", "", 404, problem, `"status":404`},
		{"POST", "/survey/customer/ann", `{"q":1}`, 201, jsonT, id},
		{"POST", "/survey/customer/ann", ` {} ` + "\n", 201, jsonT, id},
		{"POST", "/surveybatched/customer/ann", `{"q":1}`, 202, jsonT, id},
		{"POST", "/surveynodb/customer/ann", `{"q":1}`, 200, jsonT, `^{"stored":false}$`},
		{"POST", "/surveynodb/customer/ann", deep(99), 200, jsonT, ``},
		{"POST", "/surveynodb/customer/ann", deep(100), 422, problem, `"status":422`},
		{"POST", "/surveynodb/customer/ann", `{"q":`, 400, problem, `"status":400`},
		{"POST", "/surveynodb/customer/ann", `{"q":1`, 400, problem, ``},
		{"POST", "/surveynodb/customer/ann", `{"q":1,}`, 400, problem, ``},
		{"POST", "/surveynodb/customer/ann", `{"q" 1}`, 400, problem, ``},
		{"POST", "/surveynodb/customer/ann", `{"q":tru}`, 400, problem, ``},
		{"POST", "/surveynodb/customer/ann", `{"q":[1 2]}`, 400, problem, ``},
		{"POST", "/surveynodb/customer/ann", `{"q":1-2}`, 400, problem, ``},
		{"POST", "/surveynodb/customer/ann", `{"q":1.2.3}`, 400, problem, ``},
		{"POST", "/surveynodb/customer/ann", ``, 400, problem, ``},
		{"POST", "/surveynodb/customer/ann", `nonsense`, 400, problem, ``},
		{"POST", "/surveynodb/customer/ann", `[1]`, 422, problem, ``},
		{"POST", "/surveynodb/customer/ann", `null`, 422, problem, ``},
		{"POST", "/surveynodb/customer/ann", `{"n":9223372036854775808}`, 422, problem, ``},
		{"POST", "/surveynodb/customer/ann", `{"n":1e400}`, 422, problem, ``},
		{"POST", "/surveynodb/customer/", `{}`, 404, problem, ``},
		{"POST", "/surveynodb/customer", `{}`, 404, problem, ``},
		{"POST", "/surveynodb/customer/ann/more", `{}`, 404, problem, ``},
		{"POST", "/surveyother/customer/ann", `bad`, 404, problem, ``},
		{"GET", "/survey/customer/ann", ``, 404, problem, ``},
		{"POST", "/hello", ``, 404, problem, ``},
		{"GET", "/", ``, 404, problem, ``},
		{"POST", "/", ``, 404, problem, ``},
	}
	s := baseline.New(baseline.Config{})
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s %s %.20q", tt.method, tt.uri, tt.body), func(t *testing.T) {
			res := do(s, tt.method, tt.uri, tt.body)
			if res.StatusCode() != tt.status {
				t.Errorf("status %d, want %d; body %s", res.StatusCode(), tt.status, res.Body())
			}
			if got := string(res.Header.ContentType()); got != tt.contentType {
				t.Errorf("content type %q, want %q", got, tt.contentType)
			}
			if !regexp.MustCompile(tt.want).Match(res.Body()) {
				t.Errorf("body %s does not match %s", res.Body(), tt.want)
			}
			if tt.contentType != text && !json.Valid(res.Body()) {
				t.Errorf("body %s is no JSON", res.Body())
			}
		})
	}
}

// Lesson 26: what follows the first value is not ignored.
func TestLesson26_RefusesTrailingData(t *testing.T) {
	s := baseline.New(baseline.Config{})
	for _, body := range []string{`{"a":1} x`, `{"a":1}{"b":2}`, `{"a":1}}`, `{"a":1},`, `{"a":1} 2`} {
		if got := do(s, "POST", "/surveynodb/c/u", body).StatusCode(); got != 400 {
			t.Errorf("%s: status %d, want 400", body, got)
		}
	}
}

// Lesson 24: bsoncore panics on a NUL in a key, and fasthttp recovers no handler.
func TestLesson24_RefusesNULInKey(t *testing.T) {
	s := baseline.New(baseline.Config{})
	res := do(s, "POST", "/surveynodb/c/u", `{"a\u0000b":1}`)
	if res.StatusCode() != 422 {
		t.Errorf("status %d, want 422", res.StatusCode())
	}
}

func TestCloseRefusesLaterDocuments(t *testing.T) {
	s := baseline.New(baseline.Config{Linger: time.Hour})
	if got := do(s, "POST", "/surveybatched/c/u", `{}`).StatusCode(); got != 202 {
		t.Fatalf("status %d before Close, want 202", got)
	}
	if lost, err := s.Close(context.Background()); lost != 0 || err != nil {
		t.Fatalf("Close: lost %d, error %v", lost, err)
	}
	if got := do(s, "POST", "/surveybatched/c/u", `{}`).StatusCode(); got != 503 {
		t.Errorf("status %d after Close, want 503", got)
	}
}

// A survey names a collection: a name that an embedded database might read as SQL is refused.
func TestBadNames(t *testing.T) {
	s := baseline.New(baseline.Config{})
	for _, route := range []string{"POST /survey/", "PUT /survey/", "POST /surveybatched/", "POST /surveynodb/"} {
		method, path, _ := strings.Cut(route, " ")
		for _, name := range []string{"x%22%20(a%20int);", "a%20b", "$cmd", "a%00b", "system.users", "-a", ".a", strings.Repeat("x", 121)} {
			if res := do(s, method, path+name+"/u", `{}`); res.StatusCode() != 400 {
				t.Errorf("%s%s: %d %s, want 400", route, name, res.StatusCode(), res.Body())
			}
		}
	}
}
