package main

import (
	"strings"
	"testing"
	"time"
)

func TestBothSidesOfAboveAnswerTheSame(t *testing.T) {
	for _, a := range aboves {
		if err := a.verify(); err != nil {
			t.Error(err)
		}
	}
}

func TestReportHasARowForEveryRouterAndARatio(t *testing.T) {
	var out strings.Builder
	if err := report(&out, names, Plan{Rounds: 1, Sample: time.Microsecond, Subjects: subjects}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, s := range subjects {
		if got := strings.Count(text, "\n"+s.Name+" "); got < 6 { // five tables and the growth
			t.Errorf("%d rows of %s:\n%s", got, s.Name, text)
		}
	}
	if got := strings.Count(text, "rapidrest ÷ best peer"); got != 5 {
		t.Errorf("%d rows of ratios, want 5", got)
	}
}

func TestRatioIsToTheBestPeerThatAnswersRight(t *testing.T) {
	var out strings.Builder
	Table{
		Columns:  []string{"set"},
		Subjects: []Subject{{Name: "ours"}, {Name: "slow"}, {Name: "fast"}, {Name: "wrong"}},
		Figures:  [][]Figure{{{Nanos: 30}, {Nanos: 100}, {Nanos: 60}, {Nanos: 1, Mark: "wrong answers 404"}}},
	}.Print(&out)
	if text := out.String(); !strings.Contains(text, "0.50 fast\n") || !strings.Contains(text, "*1.0 / 0") || !strings.Contains(text, "* wrong answers 404") {
		t.Errorf("table:\n%s", text)
	}
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		samples []float64
		want    float64
	}{{[]float64{5}, 5}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 100, 2}, 3}} {
		if got := median(tt.samples); got != tt.want {
			t.Errorf("median of %v: %v, want %v", tt.samples, got, tt.want)
		}
	}
}

func TestFlagsThatMakeNoSense(t *testing.T) {
	for _, args := range [][]string{{"-ask", "nonsense"}, {"-only", "nobody"}, {"-only", "rapidrest"}, {"-rounds", "0"}, {"-sample", "-1s"}} {
		var out strings.Builder
		if err := run(&out, args); err == nil || !strings.HasPrefix(err.Error(), "lineup: ") {
			t.Errorf("%q: error %v", args, err)
		}
	}
}
