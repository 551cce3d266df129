package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rapidrest/rapidrest/cmd/internal/stats"
)

// ReadReport reads what --json wrote.
func ReadReport(file string) (*Report, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("bench: %s is no report: %w", file, err)
	}
	if len(r.Runs) == 0 {
		return nil, fmt.Errorf("bench: %s holds no runs", file)
	}
	return &r, nil
}

// WriteComparison writes how the rates of two reports differ, for every subject and scenario
// that is in both. Runs of two reports are no pairs: whether they differ is a rank-sum test. It
// knows nothing of what else changed between the two, the machine's mood included.
func WriteComparison(w io.Writer, a, b *Report) error {
	const format = "%-9s %-10s %10s %10s %7s %7s  %s\n"
	var out strings.Builder
	fmt.Fprintf(&out, format, "scenario", "subject", "first", "second", "change", "p", "")
	rows := 0
	for _, before := range a.Summaries {
		old, now := a.runs(before.Scenario, before.Subject), b.runs(before.Scenario, before.Subject)
		if len(now) == 0 {
			continue
		}
		rows++
		x, y := collect(old, rate), collect(now, rate)
		p := stats.RankSum(x, y)
		verdict := "no difference found"
		if p < stats.Alpha {
			verdict = "differs"
		}
		from, to := stats.Of(x).Median, stats.Of(y).Median
		fmt.Fprintf(&out, format, before.Scenario, before.Subject, thousands(from), thousands(to),
			fmt.Sprintf("%+.1f%%", (to/from-1)*100), fmt.Sprintf("%.3f", p), verdict)
	}
	if rows == 0 {
		return fmt.Errorf("bench: the two reports have no subject and scenario in common")
	}
	if a.Machine.CPU != b.Machine.CPU || a.Machine.CPUs != b.Machine.CPUs {
		fmt.Fprintf(&out, "\nTwo machines: %s (%d CPUs) and %s (%d CPUs).\n", a.Machine.CPU, a.Machine.CPUs, b.Machine.CPU, b.Machine.CPUs)
	}
	_, err := io.WriteString(w, out.String())
	return err
}
