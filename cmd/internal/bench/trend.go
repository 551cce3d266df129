package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rapidrest/rapidrest/cmd/internal/stats"
)

// trendColumns is how many subjects stand beside each other in 80 columns.
const trendColumns = 3

// trends are the tables of scenarios whose runs are shown one by one.
func (r *Report) trends(b *strings.Builder) {
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		if !s.trend() {
			continue
		}
		for subjects := range slices.Chunk(r.of(s.Name), trendColumns) {
			r.trend(b, s, subjects)
		}
	}
}

// trend has a row for each run: requests a second and resident memory of some subjects.
func (r *Report) trend(b *strings.Builder, s *Scenario, subjects []Summary) {
	fmt.Fprintf(b, "\n%s: %s, %s requests a run\n%-10s", s.Name, s.Title, thousands(float64(s.Requests)), "")
	runs, rows := make([][]Run, len(subjects)), 0
	for i, sub := range subjects {
		fmt.Fprintf(b, " %15s %5s", sub.Subject, "MiB")
		runs[i] = r.runs(s.Name, sub.Subject)
		rows = max(rows, len(runs[i]))
	}
	b.WriteByte('\n')
	for row := range rows {
		if s.Grows {
			fmt.Fprintf(b, "%10s", thousands(float64(s.Requests)*float64(row+1)))
		} else {
			fmt.Fprintf(b, "%-10d", row+1)
		}
		for _, of := range runs {
			if row < len(of) {
				fmt.Fprintf(b, " %15s %5.0f", thousands(of[row].Rate), float64(of[row].RSS)/(1<<20))
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "%-10s", "last/first")
	for _, of := range runs {
		fmt.Fprintf(b, " %15.3f %5.2f", lastToFirst(of, rate), lastToFirst(of, func(r Run) float64 { return float64(r.RSS) }))
	}
	b.WriteByte('\n')
}

// lastToFirst is the median of the last quarter of the runs to that of the first quarter.
func lastToFirst(runs []Run, figure func(Run) float64) float64 {
	values := collect(runs, figure)
	quarter := max(1, len(values)/4)
	return stats.Of(values[len(values)-quarter:]).Median / stats.Of(values[:quarter]).Median
}
