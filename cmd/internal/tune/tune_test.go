package tune

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
	"github.com/rapidrest/rapidrest/cmd/internal/stats"
)

func point(lo, median, hi float64) Point {
	return Point{Rate: stats.Estimate{Lo: lo, Median: median, Hi: hi, Sure: true}}
}

func TestTheSmallestThatCannotBeToldFromTheBestIsChosen(t *testing.T) {
	for _, test := range []struct {
		name         string
		points       []Point
		best, chosen int
	}{
		{"one", []Point{point(1, 2, 3)}, 0, 0},
		{"clearly rising", []Point{point(10, 11, 12), point(20, 21, 22), point(30, 31, 32)}, 2, 2},
		{"a plateau", []Point{point(10, 11, 12), point(29, 30, 31), point(30, 31, 32), point(28, 30, 31)}, 2, 1},
		{"overlapping, but 20 % lower", []Point{point(10, 80, 120), point(90, 100, 110)}, 1, 1},
		{"within 5 %, but told apart", []Point{point(96, 97, 98), point(99, 100, 101)}, 1, 1},
	} {
		if best, chosen := choose(test.points); best != test.best || chosen != test.chosen {
			t.Errorf("%s: best %d, chosen %d", test.name, best, chosen)
		}
	}
}

// The whole way, once and small: three sweeps, every run counted, and nothing left behind.
func TestRun(t *testing.T) {
	uri := mongotest.URI(t)
	client := mongotest.Client(t, uri)
	before, err := client.ListDatabaseNames(t.Context(), map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := Run(t.Context(), Config{
		URI: uri, Sizes: []int{20, 1, 20}, Inflight: []int{2}, Linger: []time.Duration{time.Millisecond},
		Runs: 2, RunTime: 20 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	sizes := report.Sweeps[0].Points
	if len(report.Sweeps) != 3 || len(sizes) != 2 || sizes[0].Size != 1 || sizes[1].Size != 20 {
		t.Errorf("%+v", report)
	}
	for _, s := range report.Sweeps {
		for _, p := range s.Points {
			if len(p.Rates) != 2 || p.Rate.Median <= 0 || p.Documents < 8 {
				t.Errorf("%s: %+v", s.Name, p)
			}
		}
	}
	var text bytes.Buffer
	if err := report.WriteText(&text); err != nil || !strings.Contains(text.String(), "Recommended: --batch-size") {
		t.Errorf("%v, %s", err, text.String())
	}
	after, err := client.ListDatabaseNames(t.Context(), map[string]any{})
	if err != nil || !slices.Equal(before, after) {
		t.Errorf("databases %v became %v, error %v", before, after, err)
	}
}

func TestBadConfigurationsAreRefused(t *testing.T) {
	for _, c := range []Config{
		{}, {URI: "mongodb://x/", Sizes: []int{0}}, {URI: "mongodb://x/", Sizes: []int{10_000_000}},
		{URI: "mongodb://x/", Inflight: []int{-1}}, {URI: "mongodb://x/", Linger: []time.Duration{-1}}, {URI: "mongodb://x/", Runs: -1},
	} {
		if r, err := Run(context.Background(), c); err == nil || r != nil || !strings.HasPrefix(err.Error(), "tune: ") {
			t.Errorf("%+v: %v, %v", c, r, err)
		}
	}
}
