package router

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
)

// echo answers with the route's pattern and its parameters.
func echo(c *Ctx) error {
	var b strings.Builder
	b.WriteString(c.Route().Pattern())
	for _, name := range c.Route().Names() {
		fmt.Fprintf(&b, " %s=%s", name, c.Param(name))
	}
	return c.Text(200, b.String())
}

// compiled makes a table of routes written "METHOD pattern", or a pattern alone for GET.
func compiled(t testing.TB, h Handler, routes ...string) *Matcher {
	t.Helper()
	table := New()
	table.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	for _, r := range routes {
		method, pattern, ok := strings.Cut(r, " ")
		if !ok {
			method, pattern = "GET", r
		}
		table.Handle(method, pattern, h)
	}
	return mustCompile(t, table)
}

// serve returns "status body", the body only where a handler has answered.
func serve(m *Matcher, method, target string) string {
	ctx := request(method, target)
	m.Serve(ctx)
	s := fmt.Sprint(ctx.Response.StatusCode())
	if ctx.Response.StatusCode() == 200 {
		s += " " + string(ctx.Response.Body())
	}
	return s
}

type exchange struct{ method, target, want string }

func checkAll(t *testing.T, m *Matcher, exchanges []exchange) {
	t.Helper()
	for _, e := range exchanges {
		if got := serve(m, e.method, e.target); got != e.want {
			t.Errorf("%s %q: %q, want %q", e.method, e.target, got, e.want)
		}
	}
}

func TestLesson01_RequiredQueryKeysAreCheckedWithoutAQuery(t *testing.T) {
	m := compiled(t, echo, "/survey/{s}?source={source}")
	checkAll(t, m, []exchange{
		{"GET", "/survey/a", "400"},
		{"GET", "/survey/a?", "400"},
		{"GET", "/survey/a?source", "400"},
		{"GET", "/survey/a?source=", "400"},
		{"GET", "/survey/a?Source=x", "400"},
		{"GET", "/survey/a?source=x", "200 /survey/{s}?source={source} s=a source=x"},
		{"GET", "/survey/a?x=1&source=a%20b+c", "200 /survey/{s}?source={source} s=a source=a b c"},
	})
}

func TestLesson02_AMissingKeyIs400AndTheNextRouteIsTried(t *testing.T) {
	m := compiled(t, echo, "/a/b?k={k}", "/a/{x}?j={j}", "/c?k={k}", "/c?k={k}&j={j:int}")
	checkAll(t, m, []exchange{
		{"GET", "/a/b?k=1", "200 /a/b?k={k} k=1"},
		{"GET", "/a/b?j=1", "200 /a/{x}?j={j} x=b j=1"},
		{"GET", "/a/b", "400"},
		{"GET", "/c?k=1", "200 /c?k={k} k=1"},
		{"GET", "/c?k=1&j=x", "200 /c?k={k} k=1"},
		{"GET", "/c?k=1&j=2", "200 /c?k={k}&j={j:int} k=1 j=2"},
		{"GET", "/nowhere", "404"},
		{"POST", "/c", "405"},
	})
	ctx := request("GET", "/c?j=1")
	m.Serve(ctx)
	if want := `{"type":"about:blank","title":"Bad Request","status":400,` +
		`"detail":"query keys are missing or do not fit: k","keys":["k"]}`; string(ctx.Response.Body()) != want {
		t.Errorf("the most specific route misses k alone:\n got %s\nwant %s", ctx.Response.Body(), want)
	}
}

func TestLesson03_APatternIsTheWholePath(t *testing.T) {
	m := compiled(t, echo, "/here/{a}/{b}", "/q?k={k:int}")
	checkAll(t, m, []exchange{
		{"GET", "/x/y/here/a/b", "404"},
		{"GET", "/here/a/b/c", "404"},
		{"GET", "/here/a/b/", "404"},
		{"GET", "/here/a", "404"},
		{"GET", "/here/a/b", "200 /here/{a}/{b} a=a b=b"},
		{"GET", "/q?k=5x", "400"},
		{"GET", "/q?k=5", "200 /q?k={k:int} k=5"},
	})
}

func TestLesson04_LiteralsOfOneByteEscapesAndCase(t *testing.T) {
	m := compiled(t, echo, "/a/{x}/b/{y}")
	checkAll(t, m, []exchange{
		{"GET", "/a/1/b/2", "200 /a/{x}/b/{y} x=1 y=2"},
		{"GET", "/a/1%202/b/%E6%97%A5", "200 /a/{x}/b/{y} x=1 2 y=日"},
		{"GET", "/%61/1/b/2", "200 /a/{x}/b/{y} x=1 y=2"},
		{"GET", "/A/1/b/2", "404"},
	})
}

func TestLesson05_ErrorsHaveStatusesAndLengthsInBytes(t *testing.T) {
	table := New()
	table.Post("/x", JSON(func(c *Ctx, in struct{ N int }) (string, error) { return strings.Repeat("é", in.N), nil }))
	m := mustCompile(t, table)
	for _, c := range []struct {
		kind, body string
		status     int
	}{
		{"application/json", `{"n":2}`, 200},
		{"Application/JSON; charset=UTF-8", `{"N":2}`, 200},
		{"application/vnd.x+json", `{"N":2}`, 200},
		{"", `{"N":2}`, 200},
		{"application/json", `{"N":2`, 400},
		{"application/json", `{"N":02}`, 400},
		{"application/json", `{"N":1} x`, 400},
		{"application/json", ``, 400},
		{"application/json", `{"N":"2"}`, 422},
		{"text/plain", `{"N":2}`, 415},
	} {
		ctx := request("POST", "/x")
		ctx.Request.Header.SetContentType(c.kind)
		ctx.Request.SetBodyString(c.body)
		m.Serve(ctx)
		if got := ctx.Response.StatusCode(); got != c.status {
			t.Errorf("%s %s: %d, want %d: %s", c.kind, c.body, got, c.status, ctx.Response.Body())
		}
		if c.status == 200 && string(ctx.Response.Body()) != `"éé"` {
			t.Errorf("body %q", ctx.Response.Body())
		}
		if kind := string(ctx.Response.Header.ContentType()); c.status != 200 && kind != problemType {
			t.Errorf("%s %s: content type %q", c.kind, c.body, kind)
		}
	}
}

func TestLesson06_AFailingHandlerIs500AndShowsNothing(t *testing.T) {
	var log bytes.Buffer
	table := New()
	table.Logger = slog.New(slog.NewTextHandler(&log, nil))
	table.Get("/panic", func(*Ctx) error { panic("secret") })
	table.Get("/nil", func(c *Ctx) error { var p *int; *p = 1; return nil })
	table.Get("/error", func(c *Ctx) error { c.SetRequestID("id-1"); return errors.New("secret") })
	table.Get("/problem", func(c *Ctx) error {
		c.Response.Header.Set("Retry-After", "3")
		return fmt.Errorf("wrapped: %w", NewProblem(503, "busy").With("depth", 7))
	})
	m := mustCompile(t, table)
	for _, path := range []string{"/panic", "/nil", "/error"} {
		ctx := request("GET", path)
		m.Serve(ctx)
		if ctx.Response.StatusCode() != 500 || bytes.Contains(ctx.Response.Body(), []byte("secret")) {
			t.Errorf("%s: %d %s", path, ctx.Response.StatusCode(), ctx.Response.Body())
		}
	}
	if s := log.String(); !strings.Contains(s, "secret") || !strings.Contains(s, "request_id=id-1") || !strings.Contains(s, "lessons_test.go") {
		t.Errorf("the log lacks the error, its request or the stack:\n%s", s)
	}
	ctx := request("GET", "/problem")
	m.Serve(ctx)
	want := `{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"busy","depth":7}`
	if got := string(ctx.Response.Body()); got != want || ctx.Response.StatusCode() != 503 {
		t.Errorf("%d %s, want %s", ctx.Response.StatusCode(), got, want)
	}
	if string(ctx.Response.Header.Peek("Retry-After")) != "3" {
		t.Error("the header that the handler had set is gone")
	}
}

func TestLesson11_NeverARedirect(t *testing.T) {
	m := compiled(t, echo, "/", "/x", "/y/", "/{a}/{b}")
	checkAll(t, m, []exchange{
		{"GET", "//evil.test/", "404"},
		{"GET", "//evil.test", "404"},
		{"GET", "/\\evil.test/", "404"},
		{"GET", "/x/", "404"},
		{"GET", "/y", "404"},
		{"GET", "/X", "404"},
		{"GET", "//x", "404"},
		{"GET", "/./x", "400"},
	})
}

func TestLesson12_AHalfMatchedLiteralHidesNothing(t *testing.T) {
	m := compiled(t, echo, "/ping", "/pong", "/{name}")
	checkAll(t, m, []exchange{
		{"GET", "/p", "200 /{name} name=p"},
		{"GET", "/pin", "200 /{name} name=pin"},
		{"GET", "/pings", "200 /{name} name=pings"},
		{"GET", "/ping", "200 /ping"},
	})
}

func TestLesson13_BacksOutTwoLevels(t *testing.T) {
	m := compiled(t, echo, "/a/b", "/a/{p}/c", "/{p}/d", "/a/b/c/d/e", "/a/{x}/{y}/z/{w}", "/{q}/b/{r}/d/f")
	checkAll(t, m, []exchange{
		{"GET", "/a/d", "200 /{p}/d p=a"},
		{"GET", "/a/b", "200 /a/b"},
		{"GET", "/a/b/c", "200 /a/{p}/c p=b"},
		{"GET", "/a/b/c/d/f", "200 /{q}/b/{r}/d/f q=a r=c"},
		{"GET", "/a/b/c/z/f", "200 /a/{x}/{y}/z/{w} x=b y=c w=f"},
		{"GET", "/a/b/c/d", "404"},
	})
}

func TestLesson14_ACatchAllIsNeverEmpty(t *testing.T) {
	m := compiled(t, echo, "/{rest...}", "/users/{u...}")
	checkAll(t, m, []exchange{
		{"GET", "/users", "200 /{rest...} rest=users"},
		{"GET", "/users/", "200 /{rest...} rest=users/"},
		{"GET", "/users/a/b/", "200 /users/{u...} u=a/b/"},
		{"GET", "/users/a//b", "404"},
		{"GET", "/users/a//", "404"},
		{"GET", "/", "404"},
	})
}

func TestLesson15_AParameterIsOneSegment(t *testing.T) {
	checkAll(t, compiled(t, echo, "/a/{x}"), []exchange{{"GET", "/a/b/c", "404"}, {"GET", "/a/b", "200 /a/{x} x=b"}})
	checkAll(t, compiled(t, echo, "/a/{x}", "/a/{x}/c"), []exchange{{"GET", "/a/b/d", "404"}, {"GET", "/a/b", "200 /a/{x} x=b"}})
}

func TestLesson16_NothingSlipsPastAGroup(t *testing.T) {
	table := New()
	guard := func(Handler) Handler {
		return func(*Ctx) error { return NewProblem(403, "") }
	}
	table.Group("/admin", guard).Get("/{what}", echo)
	table.Group("/private", guard).Get("", echo)
	table.Get("/public/{x}", echo)
	table.Get("/{one}", echo)
	checkAll(t, mustCompile(t, table), []exchange{
		{"GET", "/admin/secret", "403"},
		{"GET", "/%61dmin/secret", "403"},
		{"GET", "/admin%2Fsecret", "200 /{one} one=admin/secret"},
		{"GET", "/%70rivate", "403"},
		{"GET", "/./private", "400"},
		{"GET", "/%2e/private", "400"},
		{"GET", "//private", "404"},
		{"GET", "/public%2F..%2Fadmin", "400"},
		{"GET", "/public/..%2Fadmin", "400"},
		{"GET", "/public/%2e%2E/admin", "400"},
		{"GET", "/public/..;x", "200 /public/{x} x=..;x"},
	})
}

func TestLesson17_PlusIsPlusInAPath(t *testing.T) {
	checkAll(t, compiled(t, echo, "/a/{x}", "/b+c"), []exchange{
		{"GET", "/a/b+c", "200 /a/{x} x=b+c"},
		{"GET", "/a/b%2Bc", "200 /a/{x} x=b+c"},
		{"GET", "/b+c", "200 /b+c"},
	})
}

func TestLesson18_NoInputHangsOrPanics(t *testing.T) {
	long := strings.Repeat("x", 1<<17)
	deep := strings.Repeat("/s", 1<<15)
	var many, values strings.Builder
	for i := range 40 {
		fmt.Fprintf(&many, "/{p%d}", i)
		fmt.Fprintf(&values, "/v%d", i)
	}
	m := compiled(t, echo, "/lol/{a}", "/users/{u}", "/ü/{x}", many.String(), "PURGE /users/{u}", "/files/{f...}")
	if got := serve(m, "GET", values.String()); !strings.HasSuffix(got, "p38=v38 p39=v39") {
		t.Errorf("40 parameters: %s", got)
	}
	if got := serve(m, "GET", "/users/"+long); len(got) != len("200 /users/{u} u=")+len(long) {
		t.Errorf("128 KiB: %d bytes", len(got))
	}
	if got := serve(m, "GET", "/files"+deep); len(got) != len("200 /files/{f...} f=")+len(deep)-1 {
		t.Errorf("deep: %d bytes", len(got))
	}
	checkAll(t, m, []exchange{
		{"GET", "/lol//kek", "404"},
		{"GET", "/users/%00", "400"},
		{"GET", "/users/\x00", "400"},
		{"GET", "/users/a%0", "400"},
		{"GET", "/users/%", "400"},
		{"GET", "", "404"},
		{"GET", "/ü/日本", "200 /ü/{x} x=日本"},
		{"GET", "/%c3%bc/%ff", "200 /ü/{x} x=\xff"},
		{"OPTIONS", "*", "204"},
		{"BREW", "/users/1", "405"},
		{"BREW", "/nowhere", "404"},
		{"PURGE", "/users/1", "200 /users/{u} u=1"},
		{"GET", "http://host/users/1?x", "200 /users/{u} u=1"},
		{"GET", "http://host", "404"},
	})
	if got := m.Lookup("GET", ""); got.Status != 404 {
		t.Errorf("an empty path: %+v", got)
	}
	if got := fmt.Sprint(m.Lookup("OPTIONS", "*").Allow); got != "[GET HEAD OPTIONS PURGE]" {
		t.Errorf("OPTIONS *: %s", got)
	}
}

func TestLesson20_NamesBelongToTheirRouteAndOrderDoesNotMatter(t *testing.T) {
	m := compiled(t, echo, "GET /a/{x}/b", "PUT /a/{y}/b", "GET /a/{z}/c")
	checkAll(t, m, []exchange{
		{"GET", "/a/1/b", "200 /a/{x}/b x=1"},
		{"PUT", "/a/1/b", "200 /a/{y}/b y=1"},
		{"GET", "/a/1/c", "200 /a/{z}/c z=1"},
	})
	for _, routes := range [][]string{{"/a/{x}", "/a/{y}"}, {"/a/{y}", "/a/{x}"}} {
		table := New()
		for _, r := range routes {
			table.Get(r, echo)
		}
		if _, err := table.Compile(); err == nil {
			t.Errorf("%v: two routes for the same requests were taken", routes)
		}
	}
}

func TestLesson21_AllowIsComplete(t *testing.T) {
	m := compiled(t, echo, "GET /users/me", "PUT /users/{id}", "DELETE /users/{id:int}", "POST /only", "PATCH /{any...}")
	for _, c := range []struct{ method, target, status, allow string }{
		{"POST", "/users/me", "405", "GET, HEAD, OPTIONS, PATCH, PUT"},
		{"POST", "/users/5", "405", "DELETE, OPTIONS, PATCH, PUT"},
		{"OPTIONS", "/users/5", "204", "DELETE, OPTIONS, PATCH, PUT"},
		{"GET", "/only", "405", "OPTIONS, PATCH, POST"},
		{"OPTIONS", "*", "204", "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"},
	} {
		ctx := request(c.method, c.target)
		m.Serve(ctx)
		if got := string(ctx.Response.Header.Peek("Allow")); got != c.allow || fmt.Sprint(ctx.Response.StatusCode()) != c.status {
			t.Errorf("%s %s: %d, Allow %q; want %s, %q", c.method, c.target, ctx.Response.StatusCode(), got, c.status, c.allow)
		}
	}
	checkAll(t, m, []exchange{
		{"HEAD", "/users/me", "200 /users/me"},
		{"PUT", "/users/me", "200 /users/{id} id=me"},
	})
	both := compiled(t, echo, "GET /a/{x}", "HEAD /a/{y}", "GET /a/b")
	checkAll(t, both, []exchange{
		{"HEAD", "/a/c", "200 /a/{y} y=c"},
		{"HEAD", "/a/b", "200 /a/b"},
	})
}

// There is no regular expression to be slow: a search enters each node of its tree at most
// once. Here each level of the path fits two ways, and the search backs out of every one of them.
func TestLesson22_TheWorstSearchIsBoundedByTheTable(t *testing.T) {
	table := New()
	for i := range 1 << 10 {
		var b strings.Builder
		for bit := range 10 {
			if i>>bit&1 == 0 {
				b.WriteString("/a")
			} else {
				fmt.Fprintf(&b, "/{p%d}", bit)
			}
		}
		table.Get(b.String()+"/end", echo)
	}
	m := mustCompile(t, table)
	c := m.newCtx()
	target := strings.Repeat("/a", 10) + "/no"
	if m.match(c, m.methods.number([]byte("GET")), []byte(target)); c.route != nil {
		t.Fatalf("%s matches %s", target, c.route.pattern)
	}
	if most := m.trees[m.methods.get].size + m.any.size; int(c.steps) > most {
		t.Errorf("%d steps; the trees have %d nodes", c.steps, most)
	}
}
