package router

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

// The route sets of real APIs that routers are commonly measured with, and requests with
// their answers.
var setNames = []string{"github", "static", "parse", "gplus"}

type setRoute struct{ Method, Path string }

type setRequest struct {
	Request struct{ Method, Path string }
	Expect  struct {
		Status      int
		Route       string
		Params      map[string]string
		Allow       []string
		AllowMayAdd []string `json:"allow_may_add"`
	}
}

func readJSON[T any](tb testing.TB, file string) (v T) {
	tb.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(b, &v); err != nil {
		tb.Fatalf("%s: %v", file, err)
	}
	return v
}

// braced writes /users/:id as /users/{id}.
func braced(path string) string {
	segs := strings.Split(path, "/")
	for i, s := range segs {
		if strings.HasPrefix(s, ":") {
			segs[i] = "{" + s[1:] + "}"
		}
	}
	return strings.Join(segs, "/")
}

// compileSet compiles a set, with one handler for all routes.
func compileSet(tb testing.TB, name string, h Handler) *Matcher {
	tb.Helper()
	table := New()
	for _, r := range readJSON[[]setRoute](tb, name+".json") {
		table.Handle(r.Method, braced(r.Path), h)
	}
	return mustCompile(tb, table)
}

func mustCompile(tb testing.TB, table *Table) *Matcher {
	tb.Helper()
	m, err := table.Compile()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// request returns a prepared request, without a connection.
func request(method, target string) *fasthttp.RequestCtx {
	ctx := new(fasthttp.RequestCtx)
	ctx.Request.Header.SetMethod(method)
	ctx.Request.SetRequestURI(target)
	return ctx
}

func TestSets_AllRequestsAreAnsweredAsTheySay(t *testing.T) {
	n := 0
	for _, name := range setNames {
		var route string
		params := map[string]string{}
		m := compileSet(t, name, func(c *Ctx) error {
			route = c.Route().Pattern()
			for i, name := range c.Route().Names() {
				params[name] = c.Param(name)
				if got := string(c.ParamBytes(i)); got != params[name] {
					t.Errorf("slot %d is %q, %s is %q", i, got, name, params[name])
				}
			}
			return nil
		})
		for _, r := range readJSON[[]setRequest](t, name+"_requests.json") {
			n++
			route = ""
			clear(params)
			ctx := request(r.Request.Method, r.Request.Path)
			m.Serve(ctx)
			if got := ctx.Response.StatusCode(); got != r.Expect.Status {
				t.Errorf("%s: %s %s: status %d, want %d", name, r.Request.Method, r.Request.Path, got, r.Expect.Status)
			}
			if want := braced(r.Expect.Route); route != want {
				t.Errorf("%s: %s %s: route %q, want %q", name, r.Request.Method, r.Request.Path, route, want)
			}
			if len(params) != len(r.Expect.Params) {
				t.Errorf("%s: %s: parameters %v, want %v", name, r.Request.Path, params, r.Expect.Params)
			}
			for k, v := range r.Expect.Params {
				if params[k] != v {
					t.Errorf("%s: %s: parameter %s is %q, want %q", name, r.Request.Path, k, params[k], v)
				}
			}
			if r.Expect.Status == fasthttp.StatusMethodNotAllowed {
				checkAllow(t, r, string(ctx.Response.Header.Peek("Allow")))
			}
		}
	}
	if n != 1180 {
		t.Errorf("%d requests, want 1180", n)
	}
}

func checkAllow(t *testing.T, r setRequest, header string) {
	t.Helper()
	allow := strings.Split(header, ", ")
	for _, m := range r.Expect.Allow {
		if !slices.Contains(allow, m) {
			t.Errorf("%s %s: Allow %q lacks %s", r.Request.Method, r.Request.Path, header, m)
		}
	}
	for _, m := range allow {
		if !slices.Contains(r.Expect.Allow, m) && !slices.Contains(r.Expect.AllowMayAdd, m) {
			t.Errorf("%s %s: Allow %q has %s", r.Request.Method, r.Request.Path, header, m)
		}
	}
}
