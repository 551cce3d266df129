package middleware

import (
	"bufio"
	"testing"

	"github.com/rapidrest/rapidrest/router"
)

// The SHA-256 of "hello" begins with these 128 bits.
const helloTag = `"2cf24dba5fb0a30e26e83b2ac5b9e29e"`

func etagTable(t *testing.T) *router.Matcher {
	return compile(t, func(table *router.Table) {
		table.Use(ETag())
		hello := func(c *router.Ctx) error { return c.Text(200, "hello") }
		table.Get("/hello", hello)
		table.Post("/hello", hello)
		table.Get("/own", func(c *router.Ctx) error {
			c.Response.Header.Set("ETag", `W/"7"`)
			return c.Text(200, "hello")
		})
		table.Get("/created", func(c *router.Ctx) error { return c.Text(201, "hello") })
		table.Get("/gone", func(*router.Ctx) error { return router.NewProblem(410, "") })
		table.Get("/stream", func(c *router.Ctx) error {
			return c.Stream(200, "text/plain", func(w *bufio.Writer) error {
				_, err := w.WriteString("hello")
				return err
			})
		})
		table.Get("/version", func(c *router.Ctx) error {
			if NotModified(c, WeakTag("v 7")) {
				return nil
			}
			return c.Text(200, "hello")
		})
	})
}

func TestETagAnswersWhatTheClientHas(t *testing.T) {
	m := etagTable(t)
	for _, tt := range []struct {
		method, path, have string
		status             int
		tag                string
	}{
		{"GET", "/hello", "", 200, helloTag},
		{"GET", "/hello", helloTag, 304, helloTag},
		{"GET", "/hello", "W/" + helloTag, 304, helloTag},
		{"GET", "/hello", `"other", ` + helloTag, 304, helloTag},
		{"GET", "/hello", "*", 304, helloTag},
		{"GET", "/hello", `"other"`, 200, helloTag},
		{"POST", "/hello", helloTag, 200, ""},
		{"GET", "/own", `"7"`, 304, `W/"7"`},
		{"GET", "/own", `"8"`, 200, `W/"7"`},
		{"GET", "/created", "*", 201, ""},
		{"GET", "/gone", "*", 410, ""},
		{"GET", "/nowhere", "*", 404, ""},
		{"GET", "/stream", "*", 200, ""},
		{"GET", "/version", "", 200, `W/"v_7"`},
		{"GET", "/version", `W/"v_7"`, 304, `W/"v_7"`},
	} {
		var headers []string
		if tt.have != "" {
			headers = []string{"If-None-Match", tt.have}
		}
		ctx := ask(m, tt.method, tt.path, headers...)
		if got := string(ctx.Response.Header.Peek("ETag")); ctx.Response.StatusCode() != tt.status || got != tt.tag {
			t.Errorf("%s %s, If-None-Match %s: status %d, ETag %s; want %d, %s", tt.method, tt.path, tt.have, ctx.Response.StatusCode(), got, tt.status, tt.tag)
		}
		if ctx.Response.StatusCode() == 304 && len(ctx.Response.Body()) > 0 {
			t.Errorf("%s: a body with 304: %q", tt.path, ctx.Response.Body())
		}
	}
}

func TestETagOfHeadIsThatOfGet(t *testing.T) {
	m := etagTable(t)
	ctx := ask(m, "HEAD", "/hello")
	if got := string(ctx.Response.Header.Peek("ETag")); got != helloTag {
		t.Errorf("ETag %s, want %s", got, helloTag)
	}
	if ctx := ask(m, "HEAD", "/hello", "If-None-Match", helloTag); ctx.Response.StatusCode() != 304 {
		t.Errorf("status %d, want 304", ctx.Response.StatusCode())
	}
}

// The tables of RFC 9110, section 8.8.3.2, and what lists may look like.
func TestIfMatchAndIfNoneMatch(t *testing.T) {
	for _, tt := range []struct {
		header, tag  string
		strong, weak bool
	}{
		{`W/"1"`, `W/"1"`, false, true},
		{`W/"1"`, `W/"2"`, false, false},
		{`W/"1"`, `"1"`, false, true},
		{`"1"`, `"1"`, true, true},
		{`"1"`, `W/"1"`, false, true},
		{`*`, `"1"`, true, true},
		{`*`, `W/"1"`, true, true},
		{`*`, ``, false, false},
		{``, `"1"`, false, false},
		{`"0", "1"`, `"1"`, true, true},
		{`"0","1"`, `"1"`, true, true},
		{`, ,"0",, W/"x" ,"1",`, `"1"`, true, true},
		{`"0, 1", "2"`, `"0, 1"`, true, true},
		{`"a,"1"`, `"1"`, false, false},
		{`1`, `"1"`, false, false},
		{`"1`, `"1"`, false, false},
		{`w/"1"`, `"1"`, false, false},
		{`""`, `""`, true, true},
		{`nonsense, "1"`, `"1"`, false, false},
	} {
		m := compile(t, func(table *router.Table) {
			table.Get("/", func(c *router.Ctx) error {
				strong, asked := IfMatch(c, tt.tag)
				if weak := IfNoneMatch(c, tt.tag); strong != tt.strong || weak != tt.weak || !asked {
					t.Errorf("%s against %s: If-Match %v, asked %v; If-None-Match %v; want %v, true, %v",
						tt.header, tt.tag, strong, asked, weak, tt.strong, tt.weak)
				}
				return nil
			})
		})
		ask(m, "GET", "/", "If-Match", tt.header, "If-None-Match", tt.header)
	}
}

func TestIfMatchOfSeveralLinesAndOfNone(t *testing.T) {
	m := compile(t, func(table *router.Table) {
		table.Get("/two", func(c *router.Ctx) error {
			if match, asked := IfMatch(c, `"2"`); !match || !asked {
				t.Errorf("match %v, asked %v; want both", match, asked)
			}
			return nil
		})
		table.Get("/none", func(c *router.Ctx) error {
			if match, asked := IfMatch(c, `"2"`); match || asked {
				t.Errorf("match %v, asked %v; want neither", match, asked)
			}
			return nil
		})
	})
	ask(m, "GET", "/two", "If-Match", `"1"`, "If-Match", `"2"`)
	ask(m, "GET", "/none")
}

// Whatever stands in the header, taking it apart comes to an end, and every tag is one: a star, or
// quoted.
func FuzzNextTag(f *testing.F) {
	for _, list := range []string{`"1"`, `W/"1", "2"`, `*`, `,, "a,b" ,`, `W/`, `"`, `nonsense`} {
		f.Add([]byte(list))
	}
	f.Fuzz(func(t *testing.T, list []byte) {
		left := len(list)
		for tag, rest := nextTag(list); tag != nil; tag, rest = nextTag(rest) {
			if len(rest) >= left {
				t.Fatalf("%q: %d bytes left after %d", list, len(rest), left)
			}
			left = len(rest)
			plain := opaque(tag)
			if !isStar(tag) && (len(plain) < 2 || plain[0] != '"' || plain[len(plain)-1] != '"') {
				t.Fatalf("%q: the tag %q is none", list, tag)
			}
		}
	})
}
