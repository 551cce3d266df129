package router

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestCompile_RefusesBadPatterns(t *testing.T) {
	for pattern, reason := range map[string]string{
		"":                     "does not begin with a slash",
		"a":                    "does not begin with a slash",
		"/%41":                 "written decoded",
		"/a\x00":               "NUL",
		"/a//b":                "an empty segment",
		"//":                   "an empty segment",
		"/a/./b":               "a dot segment",
		"/..":                  "a dot segment",
		"/{":                   "unbalanced",
		"/}":                   "unbalanced",
		"/}a{":                 "unbalanced",
		"/{a}{b}":              "more than one parameter",
		"/{a{b}}":              "more than one parameter",
		"/{}":                  "no name",
		"/{1a}":                "no name",
		"/{a b}":               "no name",
		"/{a:}":                "no name of a type",
		"/{a:nope}":            `unknown type "nope"`,
		"/{a}/{a}":             `the name "a" twice`,
		"/{a}?q={a}":           `the name "a" twice`,
		"/{r...}/x":            "not at the end",
		"/{r...}/":             "not at the end",
		"/x{r...}":             "a catch-all has no type",
		"/{r:int...}":          "a catch-all has no type",
		"/a?":                  "no key={name}",
		"/a?q":                 "no key={name}",
		"/a?={q}":              "no key={name}",
		"/a?q=1":               "is no {name}",
		"/a?q=x{q}":            "is no {name}",
		"/a?q={q}&q={r}":       "the query key \"q\" twice",
		"/a?q={q:nope}":        `unknown type "nope"`,
		"/a?q={q:int=x}":       `the default "x" is no int`,
		"/a?q={q:int=}":        `the default "" is no int`,
		"/a?q={q:uint=-1}":     `the default "-1" is no uint`,
		"/a?q={q:even=3}":      `the default "3" is no even`,
		"/a?q={q}#x":           "is no {name}",
		"/{a:objectid}{b:int}": "more than one parameter",
	} {
		table := New()
		table.Get(pattern, count)
		table.Type("even", func(b []byte) bool { return (b[len(b)-1]-'0')%2 == 0 })
		_, err := table.Compile()
		if err == nil || !strings.Contains(err.Error(), reason) || !strings.Contains(err.Error(), fmt.Sprintf("%q", pattern)) ||
			!strings.Contains(err.Error(), "check_test.go:") {
			t.Errorf("%q: %v; want %q, the pattern and the place", pattern, err, reason)
		}
	}
}

// Each pair is refused in either order, with both places and a request that both match; each is
// fine by itself.
func TestCompile_RefusesPairsWithAWitness(t *testing.T) {
	for _, c := range [][2]string{
		{"/a", "/a"},
		{"/", "/"},
		{"/a/{x}", "/a/{y}"},
		{"/{x:int}/", "/{y:int}/"},
		{"/{x...}", "/{y...}"},
		{"/user_{x}", "/{y}_admin"},
		{"/ab{x}", "/a{y}c"},
		{"/{x:word}", "/{y:slug}"},
		{"/{x:int}", "/{y:slug}"},
		{"/v{x:int}/q", "/{y}1/{z}"},
		{"/user_{x}/{r...}", "/{y}_admin/a/b"},
		{"/a?q={q}", "/a?q={r}"},
		{"/a?q={q}", "/a?q={r:int}"},
		{"/a?q={q}", "/a?r={r}"},
		{"/a?q={q=5}", "/a"},
	} {
		for _, pair := range [][2]string{c, {c[1], c[0]}} {
			table := New()
			table.Type("word", func(b []byte) bool { return b[0] >= 'a' })
			table.Type("slug", func(b []byte) bool { return b[0] != '-' })
			table.Get(pair[0], count)
			table.Get(pair[1], count)
			_, err := table.Compile()
			faults, ok := errors.AsType[Faults](err)
			if !ok || len(faults) != 1 {
				t.Errorf("%s and %s: %v", pair[0], pair[1], err)
				continue
			}
			f := faults[0]
			if len(f.Sites) != 2 || !strings.Contains(f.Sites[0], "check_test.go:") || f.Sites[0] == f.Sites[1] {
				t.Errorf("%s and %s: places %v", pair[0], pair[1], f.Sites)
			}
			for _, pattern := range pair {
				alone := New()
				alone.Type("word", func(b []byte) bool { return b[0] >= 'a' })
				alone.Type("slug", func(b []byte) bool { return b[0] != '-' })
				r := alone.Get(pattern, count)
				if got := mustCompile(t, alone).Lookup("GET", f.Witness); got.Route != r {
					t.Errorf("%s and %s: the witness %q does not match %s", pair[0], pair[1], f.Witness, pattern)
				}
			}
		}
	}
}

func TestCompile_TakesWhatNoPathFitsTwice(t *testing.T) {
	for _, pair := range [][2]string{
		{"/user_{x}/a", "/{y}_admin/b"},
		{"/user_{x:int}", "/{y:int}_admin"},
		{"/a{x}", "/ab{y}"},
		{"/{x}.json", "/{y}.tar.json"},
		{"/a{x}", "/b{y}c"},
		{"/{x:uint}", "/{y:int}"},
		{"/{x:objectid}", "/{y:uuid}"},
		{"/{x:slug}", "/{y}"},
		{"/a/{x}", "/{y}/b"},
		{"/a", "/a/"},
		{"/a?q={q}", "/a"},
		{"/a?q={q}", "/a?q={r}&s={s}"},
		{"/user_{x}/", "/{y}_admin"},
	} {
		table := New()
		table.Type("slug", func(b []byte) bool { return b[0] != '-' })
		table.Get(pair[0], count)
		table.Get(pair[1], count)
		if _, err := table.Compile(); err != nil {
			t.Errorf("%s and %s: %v", pair[0], pair[1], err)
		}
	}
}

func TestCompile_ReportsEveryFaultAtOnce(t *testing.T) {
	table := New()
	table.Get("/a", count)
	table.Get("/a", count)
	table.Get("/{x", count)
	table.Handle("get", "/b", count)
	table.Post("/c", nil)
	table.Put("/d", count, nil)
	table.Type("int", func([]byte) bool { return true })
	table.Type("x y", func([]byte) bool { return true })
	table.Type("t", nil)
	m, err := table.Compile()
	faults, _ := errors.AsType[Faults](err)
	if len(faults) != 8 || m != nil {
		t.Errorf("%d faults, want 8: %v", len(faults), err)
	}
	if lines := strings.Count(err.Error(), "\n"); lines != 8 {
		t.Errorf("%d lines, want one a fault:\n%v", lines, err)
	}
}

func TestPrecedence_NoOrderOfRegistrationMatters(t *testing.T) {
	patterns := []string{"/a/42", "/a/4{x}", "/a/{x}2", "/a/{x:uint}", "/a/{x:int}", "/a/{x:objectid}", "/a/{x:uuid}", "/a/{x}", "/a/{x...}"}
	patterns = append(patterns[:2], patterns[3:]...) // 4{x} and {x}2 fit 412 alike
	expect := map[string]string{
		"/a/42": "/a/42", "/a/43": "/a/4{x}", "/a/53": "/a/{x:uint}", "/a/-53": "/a/{x:int}",
		"/a/a00000000000000000000000":             "/a/{x:objectid}",
		"/a/000000000000000000000000":             "/a/{x:uint}",
		"/a/aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa": "/a/{x:uuid}",
		"/a/x": "/a/{x}", "/a/x/y": "/a/{x...}",
	}
	for shift := range patterns {
		table := New()
		for i := range patterns {
			table.Get(patterns[(i*5+shift)%len(patterns)], count)
		}
		m := mustCompile(t, table)
		for path, want := range expect {
			if got := m.Lookup("GET", path); got.Route == nil || got.Route.Pattern() != want {
				t.Errorf("%s: %+v, want %s", path, got.Route, want)
			}
		}
	}
}
