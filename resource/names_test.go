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
		{"system.users", nil, 403},
		{"system.users", AllowOnly("*"), 403},
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
