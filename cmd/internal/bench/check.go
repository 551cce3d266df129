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
	fmt.Fprintf(&b, format, "scenario", "subject", "tries", rateFigure, "ratio", cpuFigure, "ratio")
	for _, scenario := range c.scenarios() {
		for _, subject := range []string{Control, planted} {
			rates, cpus := c.tries(scenario, subject, rateFigure), c.tries(scenario, subject, cpuFigure)
			fmt.Fprintf(&b, format, scenario, subject, fmt.Sprint(c.Tries), fmt.Sprint(found(rates)), ratioOf(rates), fmt.Sprint(found(cpus)), ratioOf(cpus))
		}
	}
	fmt.Fprintf(&b, "\nThe control is the first subject's twin: what is found there is chance. The planted one burns\n"+
		"%v %% more CPU time a request; found means p < %v.\n", c.Percent, stats.Alpha)
	_, err := io.WriteString(w, b.String())
	return err
}

// A try is what one bench said of one subject.
type try struct {
	Number            int // from 1
	Scenario, Subject string
	Figure            string // by which it was looked for
	stats.Difference         // to the first subject
}

// The figures by which a difference is looked for.
const (
	rateFigure = "requests/s"
	cpuFigure  = "CPU a request"
)

// scenarios are the names of those that were tried, in order.
func (c *Check) scenarios() (names []string) {
	if c.Tries == 0 {
		return nil
	}
	for _, s := range c.Reports[0].Scenarios {
		names = append(names, s.Name)
	}
	return names
}

// tries are those that have the figure of a subject in a scenario.
func (c *Check) tries(scenario, subject, figure string) (all []try) {
	for number, r := range c.Reports {
		i := slices.IndexFunc(r.Summaries, func(s Summary) bool { return s.Scenario == scenario && s.Subject == subject })
		if i < 0 {
			continue
		}
		d := r.Summaries[i].RateChange
		if figure == cpuFigure {
			d = r.Summaries[i].CPUChange
		}
		if d != nil {
			all = append(all, try{number + 1, scenario, subject, figure, *d})
		}
	}
	return all
}

func found(tries []try) (n int) {
	for i := range tries {
		if tries[i].Significant() {
			n++
		}
	}
	return n
}

// ratioOf is the median ratio, or a dash where no try has one.
func ratioOf(tries []try) string {
	if len(tries) == 0 {
		return "-"
	}
	ratios := make([]float64, len(tries))
	for i := range tries {
		ratios[i] = tries[i].Ratio.Median
	}
	return fmt.Sprintf("%.3f", stats.Of(ratios).Median)
}
