package bench

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rapidrest/rapidrest/cmd/internal/stats"
)

// A Check says how far a bench of some length on some machine can be trusted: how often it found
// a difference between two that are alike, and how often a slowdown that was planted.
type Check struct {
	Tries   int       `json:"tries"`   // completed
	Percent float64   `json:"percent"` // of CPU time, planted in each request
	Reports []*Report `json:"reports"` // one a try
}

// planted is the name of the subject that was made slower.
const planted = "planted"

// TryOut measures the baseline again and again, each time with processes of their own, against its
// twin and against one that is slower by percent. c is as in [Measure], but for its subjects.
// Beside an error it returns the tries that were completed.
func TryOut(ctx context.Context, c Config, tries int, percent float64) (*Check, error) {
	if tries < 1 || percent <= 0 {
		return nil, fmt.Errorf("bench: %d tries of a slowdown by %v %%: both must be above 0", tries, percent)
	}
	c.Subjects = []Subject{
		{Name: "baseline", Args: []string{"baseline"}},
		{Name: Control, Args: []string{"baseline"}},
		{Name: planted, Args: []string{"baseline", "--plant", fmt.Sprint(percent)}},
	}
	check := &Check{Percent: percent}
	progress := c.Progress
	for try := range tries {
		if progress != nil {
			c.Progress = func(step string, left time.Duration) {
				progress(fmt.Sprintf("try %d of %d: %s", try+1, tries, step), left)
			}
		}
		report, err := Measure(ctx, c)
		if err != nil {
			return check, err
		}
		check.Reports = append(check.Reports, report)
		check.Tries++
	}
	return check, nil
}

// WriteTable writes how often what was found.
func (c *Check) WriteTable(w io.Writer) error {
	var b strings.Builder
	const format = "%-10s %-9s %5s  %13s %8s  %13s %8s\n"
	fmt.Fprintf(&b, format, "", "", "", "found by", "median", "found by", "median")
	fmt.Fprintf(&b, format, "scenario", "subject", "tries", "requests/s", "ratio", "CPU a request", "ratio")
	if c.Tries > 0 {
		for _, s := range c.Reports[0].Scenarios {
			for _, subject := range []string{Control, planted} {
				rates, cpus := c.changes(s.Name, subject, false), c.changes(s.Name, subject, true)
				fmt.Fprintf(&b, format, s.Name, subject, fmt.Sprint(c.Tries), fmt.Sprint(found(rates)), ratioOf(rates), fmt.Sprint(found(cpus)), ratioOf(cpus))
			}
		}
	}
	fmt.Fprintf(&b, "\nThe control is the first subject's twin: what is found there is chance. The planted one burns\n"+
		"%v %% more CPU time a request; found means p < %v.\n", c.Percent, stats.Alpha)
	_, err := io.WriteString(w, b.String())
	return err
}

// changes are those of a subject in a scenario, of every try that has one.
func (c *Check) changes(scenario, subject string, cpu bool) (all []stats.Difference) {
	for _, r := range c.Reports {
		i := slices.IndexFunc(r.Summaries, func(s Summary) bool { return s.Scenario == scenario && s.Subject == subject })
		if i < 0 {
			continue
		}
		d := r.Summaries[i].RateChange
		if cpu {
			d = r.Summaries[i].CPUChange
		}
		if d != nil {
			all = append(all, *d)
		}
	}
	return all
}

func found(changes []stats.Difference) (n int) {
	for i := range changes {
		if changes[i].Significant() {
			n++
		}
	}
	return n
}

func ratioOf(changes []stats.Difference) string {
	if len(changes) == 0 {
		return "-"
	}
	ratios := make([]float64, len(changes))
	for i := range changes {
		ratios[i] = changes[i].Ratio.Median
	}
	return fmt.Sprintf("%.3f", stats.Of(ratios).Median)
}
