package bench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// WriteTable writes the report for people, in at most 80 columns.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	r.throughput(&b)
	r.cost(&b)
	r.trends(&b)
	r.notes(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// throughput is the table of requests a second and of what that is to the baseline. Scenarios with
// a trend have tables of their own: the median of runs that change is no figure.
func (r *Report) throughput(b *strings.Builder) {
	const format = "%-9s %-10s %9s  %-17s %6s  %-13s %6s\n"
	interval := "95 % interval"
	if r.Config.Runs < 6 {
		interval = "lowest…highest"
	}
	fmt.Fprintf(b, format, "", "", "requests", interval, "of the", interval, "")
	fmt.Fprintf(b, format, "scenario", "subject", "a second", "", "first", "", "p")
	last := ""
	for i := range r.Summaries {
		s := &r.Summaries[i]
		if r.scenario(s.Scenario).trend() {
			continue
		}
		ratio, between, p := "", "", ""
		if d := s.RateChange; d != nil {
			ratio = fmt.Sprintf("%.3f", d.Ratio.Median)
			between = fmt.Sprintf("%.3f…%.3f", d.Ratio.Lo, d.Ratio.Hi)
			p = fmt.Sprintf("%.3f", d.P)
		}
		fmt.Fprintf(b, format, once(s.Scenario, &last), s.Subject, thousands(s.Rate.Median),
			thousands(s.Rate.Lo)+"…"+thousands(s.Rate.Hi), ratio, between, p)
	}
}

// cost is the table of what a request takes.
func (r *Report) cost(b *strings.Builder) {
	const format = "%-9s %-10s %6s %6s %6s %6s %6s  %7s %7s %7s\n"
	fmt.Fprintf(b, "\n"+format, "", "", "CPU µs", "of the", "client", "data-", "peak", "latency", "", "")
	fmt.Fprintf(b, format, "scenario", "subject", "server", "first", "", "base", "MiB", "p50", "p99", "p99.9")
	last := ""
	for i := range r.Summaries {
		s := &r.Summaries[i]
		ratio := ""
		if s.CPUChange != nil {
			ratio = fmt.Sprintf("%.3f", s.CPUChange.Ratio.Median)
		}
		database := s.DatabaseCPU.Median
		if !r.scenario(s.Scenario).database() {
			database = 0 // an idle database's own housekeeping
		}
		fmt.Fprintf(b, format, once(s.Scenario, &last), s.Subject,
			micros(s.ServerCPU.Median), ratio, micros(s.ClientCPU.Median), micros(database),
			fmt.Sprintf("%.0f", float64(s.PeakRSS)/(1<<20)),
			span(s.Latency.P50), span(s.Latency.P99), span(s.Latency.P999))
	}
}

// scenario returns the scenario of that name; every summary has one.
func (r *Report) scenario(name string) *Scenario {
	i := slices.IndexFunc(r.Scenarios, func(s Scenario) bool { return s.Name == name })
	return &r.Scenarios[i]
}

// once returns the name where it differs from the row before.
func once(name string, last *string) string {
	if name == *last {
		return ""
	}
	*last = name
	return name
}

// notes say what the tables rest on, and what they do not carry.
func (r *Report) notes(b *strings.Builder) {
	c := &r.Config
	fmt.Fprintln(b)
	if !r.Complete {
		fmt.Fprintf(b, "Not complete: %d runs were made.\n", len(r.Runs))
	}
	if c.Runs < 6 {
		fmt.Fprintln(b, "Too few runs for an interval or a p-value: this is a look, not a measurement.")
	}
	fmt.Fprintf(b, "%d runs of %s requests, %d connections, pipeline %d, batches of %d.\n",
		c.Runs, thousands(float64(c.Requests)), c.Connections, c.Pipeline, c.BatchSize)
	for _, s := range r.Scenarios {
		if s.Requests > 0 && s.Requests < c.Requests {
			fmt.Fprintf(b, "Runs of %s are of %s requests, to end within %v in all.\n", s.Name, thousands(float64(s.Requests)), c.Budget)
		}
	}
	documents := int64(0)
	for _, run := range r.Runs {
		documents += run.Documents
	}
	fmt.Fprintf(b, "Counted in the database: %s documents, as many as were sent, run by run.\n", thousands(float64(documents)))
	for _, subject := range c.Subjects {
		if subject.NoDatabase {
			fmt.Fprintf(b, "%s has the scenarios without a database only.\n", subject.Name)
		}
	}
	r.doubts(b)
	fmt.Fprintf(b, "%s, %d CPUs, %s, %.0f s in all.\n", r.Machine.CPU, r.Machine.CPUs, r.Machine.Go, r.Seconds)
}

// doubts name what keeps a figure from meaning what it seems to.
func (r *Report) doubts(b *strings.Builder) {
	for _, s := range r.Scenarios {
		if noise := r.Noise(s.Name); noise > 0 {
			fmt.Fprintf(b, "Noise floor of %s: %.1f %%, from the first subject against its twin.\n", s.Name, noise*100)
		}
	}
	for _, method := range slices.Sorted(maps.Keys(r.Ceilings)) {
		fmt.Fprintf(b, "The client's ceiling with %s: %s requests a second.\n", method, thousands(r.Ceilings[method]))
	}
	for i := range r.Summaries {
		if s := &r.Summaries[i]; r.Limited(s) {
			fmt.Fprintf(b, "Limited by the client: %s on %s, over %.0f %% of its ceiling.\n", s.Scenario, s.Subject, nearCeiling*100)
		}
	}
}

// thousands prints a whole number with commas.
func thousands(v float64) string {
	digits := strconv.FormatInt(int64(v+0.5), 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// micros prints microseconds of CPU; none is a dash.
func micros(v float64) string {
	switch {
	case v == 0:
		return "-"
	case v < 100:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// span prints microseconds of latency with the unit that fits.
func span(us float64) string {
	switch {
	case us < 1e3:
		return fmt.Sprintf("%.0fµs", us)
	case us < 1e6:
		return fmt.Sprintf("%.3gms", us/1e3)
	}
	return fmt.Sprintf("%.3gs", us/1e6)
}
