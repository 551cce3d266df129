package resource

import (
	"strings"
	"testing"

	"github.com/rapidrest/rapidrest/router"
)

func TestCheckCollection(t *testing.T) {
	for _, c := range []struct {
		name  string
		allow func(string) bool
		want  int
	}{
		{"answers", nil, 0},
		{"answers.2026", nil, 0},
		{"réponses", nil, 0},
		{"systematic", nil, 0},
		{"", nil, 400},
		{"a$b", nil, 400},
		{"a\x00b", nil, 400},
		{".a", nil, 400},
		{"a.", nil, 400},
		{strings.Repeat("x", maxCollectionName), nil, 0},
		{strings.Repeat("x", maxCollectionName+1), nil, 400},
		{"a-b_c.d", nil, 0},
		{"_a", nil, 0},
		{"名前٣", nil, 0},
		{"system.users", nil, 403},
		{"system.users", AllowOnly("*"), 403},
		{"system", nil, 0},
		{"-a", nil, 400},
		{"answers", AllowOnly("answers", "logs"), 0},
		{"answers2", AllowOnly("answers", "logs"), 403},
		{"survey_spring", AllowOnly("survey_*"), 0},
		{"surveys", AllowOnly("survey_*"), 403},
		{"anything", AllowOnly("*"), 0},
		{"anything", AllowOnly(), 403},
	} {
		err := checkCollection(c.name, c.allow)
		if got := router.AsProblem(err); (got == nil) != (c.want == 0) || (got != nil && got.Status != c.want) {
			t.Errorf("checkCollection(%q) = %v, want status %d", c.name, err, c.want)
		}
	}
}

// TestCheckCollection_Injection: a name that would mean something in SQL, in a path or in a
// log is refused, even where every collection is allowed.
func TestCheckCollection_Injection(t *testing.T) {
	names := []string{
		`x" (a int);drop table y;--`, `x" (a int);`, `x"`, "x'", "x`", "x;", "x--\n", "x/*", "x(", "x)", "x,y", "[x]", `x\`,
		"a b", " a", "a ", "a\u00a0b", "$cmd", "a$b", "../x", "a/b", "a%b", "a=b", "a\x7fb", "a\u0085b", "a\u200bb", "a\u2028b",
		"a\xffb", "\xed\xa0\x80", "a\ufffdb", "e\u0301", "a\U0001f600", "×",
	}
	for c := range byte(0x20) {
		names = append(names, "a"+string(rune(c))+"b")
	}
	for _, n := range names {
		err := checkCollection(n, AllowOnly("*", n))
		if p := router.AsProblem(err); p == nil || p.Status != 400 {
			t.Errorf("checkCollection(%q) = %v, want status 400", n, err)
		}
	}
}
