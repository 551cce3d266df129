package router

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// random makes tables and requests. Its words are few, so that routes and requests meet often.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 7))} }

func (r random) of(words ...string) string { return words[r.IntN(len(words))] }

func (r random) segment(i int) string {
	switch r.IntN(12) {
	case 0:
		return fmt.Sprintf("%s{p%d}", r.of("a", "ab", "v", "user_", "."), i)
	case 1:
		return fmt.Sprintf("{p%d}%s", i, r.of("b", "ab", ".json", "_admin", "."))
	case 2:
		return fmt.Sprintf("%s{p%d%s}%s", r.of("a", "ab", "v"), i, r.of("", ":int", ":uint"), r.of("", "b", ".json"))
	case 3:
		return fmt.Sprintf("{p%d:%s}", i, r.of("int", "uint", "uuid", "objectid", "vowels"))
	case 4, 5, 6:
		return fmt.Sprintf("{p%d}", i)
	}
	if r.IntN(4) == 0 {
		return r.sized()
	}
	return r.of("a", "ab", "b", "v1", "12", "users", "comments", "notifications", "notificatiins", "aotifications", "é", "+", "...")
}

// sized returns a text whose length is near a multiple of eight, where the matcher's words end. It is one of a few
// that differ in one byte.
func (r random) sized() string {
	text := []byte(strings.Repeat("x", 8*r.IntN(5)+r.IntN(3)+7))
	if r.IntN(2) == 0 {
		text[r.IntN(len(text))] = 'y'
	}
	return string(text)
}

func (r random) pattern() string {
	var b strings.Builder
	n := r.IntN(5)
	for i := range n {
		b.WriteString("/" + r.segment(i))
	}
	switch k := r.IntN(8); {
	case k == 0:
		b.WriteString("/{rest...}")
	case k == 1 || n == 0:
		b.WriteString("/")
	}
	if r.IntN(4) == 0 {
		b.WriteString("?" + r.of("q={q}", "q={q}&r={r:int}", "r={r:int}", "r={r:int=7}", "q={q}&s={s=x}"))
	}
	return b.String()
}

// table returns a random table that compiles. What Compile refuses is taken out again.
func (r random) table(tb testing.TB, h Handler) (*Matcher, reference) {
	type entry struct{ method, pattern string }
	var entries []entry
	for range 1 + r.IntN(14) {
		entries = append(entries, entry{r.of("GET", "GET", "PUT", "HEAD", "OPTIONS", "PURGE"), r.pattern()})
	}
	for {
		table := New()
		table.Type("vowels", func(b []byte) bool { return strings.Trim(string(b), "aeiou/") == "" })
		for _, e := range entries {
			table.Handle(e.method, e.pattern, h)
		}
		m, err := table.Compile()
		if err == nil {
			return m, reference{table.routes}
		}
		if len(entries) == 0 {
			tb.Fatal(err)
		}
		entries = slices.Delete(entries, 0, 1)
	}
}

func (r random) value() string {
	if r.IntN(5) == 0 {
		return r.sized()
	}
	return r.of("a", "ab", "b", "v1", "v", "12", "-5", "99999999999999999999", "user_x_admin", "user_", "x.json", ".json", "users",
		"comments", "notifications", "é", "日本", "+", "a/b", "a/../b", "...", ".a", "aei", "a%", "a?b", strings.Repeat("x", r.IntN(300)),
		"0123456789abcdef01234567", "00000000-0000-0000-0000-00000000000A", "0")
}

// target returns a request target, often one that a route of the table takes.
func (r random) target(ref reference) string {
	pattern := "/" + r.of("a", "{p}", "{p}/{p}", "{p}/{p}/{p}")
	if len(ref.routes) > 0 && r.IntN(6) > 0 {
		pattern, _, _ = strings.Cut(ref.routes[r.IntN(len(ref.routes))].pattern, "?")
	}
	segs := strings.Split(pattern[1:], "/")
	for i, s := range segs {
		if open, end := strings.Index(s, "{"), strings.Index(s, "}"); open >= 0 {
			s = s[:open] + r.value() + s[end+1:]
		}
		switch r.IntN(14) {
		case 0:
			s = r.value()
		case 1:
			s = r.of("", ".", "..", "%2e", "%2E.", "%00", "\x00", "%zz", "%4", "a%2F..%2Fb", "a%2Fb", "%2f", "..%2f", "\xff", "#")
			segs[i] = s
			continue
		}
		s = url.PathEscape(s)
		if r.IntN(6) == 0 {
			s = escapeAll(s)
		}
		segs[i] = s
	}
	t := "/" + strings.Join(segs, "/")
	switch r.IntN(12) {
	case 0:
		t += "/"
	case 1:
		t += "/" + r.value()
	case 2:
		t = r.of("", "*", "//evil.test/", "/", "//", "/a//b", "a", "?")
	}
	if r.IntN(3) == 0 {
		t += "?" + r.of("", "q=1", "q=&q=2", "q=1&r=5", "r=x", "r=", "r=%35&q=%zz", "%71=a+b", "q=%00", "s=&q=a%26b", "r=-0&&q", "x=1&q=2#")
	}
	return t
}

// escapeAll escapes the letters of an escaped segment too.
func escapeAll(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' {
			b.WriteString(s[i : i+3])
			i += 2
			continue
		}
		fmt.Fprintf(&b, "%%%02x", s[i])
	}
	return b.String()
}

// differs holds the matcher against the reference, and checks that no search takes more
// steps than its trees have nodes.
func differs(t testing.TB, m *Matcher, ref reference, method, target string) {
	t.Helper()
	want := ref.match(method, target)
	got := m.Lookup(method, target)
	if target == "*" && method == "OPTIONS" || strings.Contains(target, "://") {
		return // the reference knows paths only
	}
	fail := func(what string, g, w any) {
		var table strings.Builder
		for _, r := range ref.routes {
			fmt.Fprintf(&table, "\n\t%s %s", r.method, r.pattern)
		}
		t.Fatalf("%s %q: %s %v, want %v; table:%s", method, target, what, g, w, table.String())
	}
	if got.Status != want.status {
		fail("status", got.Status, want.status)
	}
	if got.Route != nil {
		if got.Route.pattern != want.pattern || got.Route.method != want.method {
			fail("route", got.Route.method+" "+got.Route.pattern, want.method+" "+want.pattern)
		}
		for i, p := range got.Params {
			if len(want.values) != len(got.Params) || p.Value != want.values[i] {
				fail("parameters", got.Params, want.values)
			}
		}
	}
	if !slices.Equal(got.Allow, want.allow) {
		fail("allow", got.Allow, want.allow)
	}
	if !slices.Equal(got.Missing, want.missing) {
		fail("missing", got.Missing, want.missing)
	}
	c := m.newCtx()
	m.match(c, m.methods.number([]byte(method)), []byte(target))
	// A target is searched at most twice, as it came and decoded, and then for its methods.
	if most := 2*m.trees[m.methods.number([]byte(method))].size + m.any.size; int(c.steps) > most {
		fail("steps", c.steps, most)
	}
}

// A search ends at every length of path and segment, and finds what it should: past the end of a path its words are
// zeros, which end a segment.
func TestMatch_EveryLength(t *testing.T) {
	for size := 1; size <= 40; size++ {
		text := strings.Repeat("s", size)
		table := New()
		for _, pattern := range []string{"/" + text, "/" + text + "/{x}", "/{x}/" + text, "/{x}/" + text + "/{y}/end", "/{x}/" + text + "/"} {
			table.Get(pattern, count)
		}
		m, ref := mustCompile(t, table), reference{table.routes}
		for other := range 40 {
			for _, v := range []string{strings.Repeat("v", other), strings.Repeat("s", other), strings.Repeat("s", other) + "v"} {
				for _, target := range []string{"/" + v, "/" + v + "/" + text, "/" + text + "/" + v, "/v/" + v + "/" + text,
					"/" + v + "/" + text + "/", "/v/" + text + "/" + v + "/end", "/" + v + "/" + text + "/v/en", "/v/" + v + "/v/end"} {
					differs(t, m, ref, "GET", target)
				}
			}
		}
	}
}

// executions is how many requests TestDifferential makes: go test ./router -run Differential -executions=10000000
var executions = flag.Int("executions", 50_000, "requests of the differential test")

func TestDifferential_RandomTablesAgainstTheReference(t *testing.T) {
	const perTable = 250
	for seed := range uint64(*executions / perTable) {
		r := newRandom(seed)
		m, ref := r.table(t, count)
		for range perTable {
			method, target := r.of("GET", "GET", "HEAD", "PUT", "OPTIONS", "PURGE", "DELETE", "get", ""), r.target(ref)
			differs(t, m, ref, method, target)
			neverRedirects(t, m, method, target)
		}
	}
}

func neverRedirects(t testing.TB, m *Matcher, method, target string) {
	t.Helper()
	ctx := request(method, target)
	m.Serve(ctx)
	code, location := ctx.Response.StatusCode(), ctx.Response.Header.Peek("Location")
	if code >= 300 && code < 400 || len(location) > 0 {
		t.Fatalf("%s %q: %d, to %q", method, target, code, location)
	}
}

// FuzzMatch holds the matcher against the reference, with a request as it comes. No input
// makes it panic or redirect.
func FuzzMatch(f *testing.F) {
	for i, target := range []string{"/", "//evil.test/", "/a/../b", "/a%2F..%2Fb", "/users/%00", "/lol//kek", "/%75sers?q=1", "*", "",
		"/é/日本", "/v12/x.json", "http://host/a?q=1", "/a/" + strings.Repeat("b/", 100)} {
		f.Add(uint8(i), "GET", target)
	}
	type pair struct {
		m   *Matcher
		ref reference
	}
	tables := make([]pair, 256)
	for i := range tables {
		tables[i].m, tables[i].ref = newRandom(uint64(i)+1000).table(f, count)
	}
	f.Fuzz(func(t *testing.T, table uint8, method, target string) {
		p := tables[table]
		differs(t, p.m, p.ref, method, target)
		neverRedirects(t, p.m, method, target)
	})
}

// FuzzPattern: no pattern makes the parser panic, and what it takes, and matches, it can build again.
func FuzzPattern(f *testing.F) {
	for _, p := range []string{"/", "/a/{b}?c={d:int=5}", "/v{x:int}.json", "/{rest...}", "/a//b", "/{a}{b}", "/{a", "/%41", "/a?", "/.", "/{a:}"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		table := New()
		r := table.Get(p, count)
		m, err := table.Compile()
		if err != nil {
			return
		}
		var pairs []string
		for _, name := range r.Names() {
			pairs = append(pairs, name, "7")
		}
		u, err := r.URL(pairs...)
		if err != nil {
			return // 7 is no uuid
		}
		if got := m.Lookup("GET", u); got.Route != r {
			t.Errorf("%q builds %q, which it does not match: %+v", p, u, got)
		}
	})
}
