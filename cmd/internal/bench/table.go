package bench

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// WriteTable writes the report for people, in at most 100 columns.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s %-10s %9s  %-17s %6s  %6s %6s %6s  %7s %7s\n",
		"", "", "requests", "lowest…highest", "ratio", "server", "client", "db", "p50", "p99")
	fmt.Fprintf(&b, "%-10s %-10s %9s  %-17s %6s  %20s  %15s\n",
		"scenario", "subject", "a second", "run", "", "CPU µs a request", "latency")
	for _, s := range r.Scenarios {
		for i, subject := range r.Subjects() {
			name := s.Name
			if i > 0 {
				name = ""
			}
			r.row(&b, name, s.Name, subject)
		}
	}
	r.notes(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) row(b *strings.Builder, label, scenario, subject string) {
	runs := r.runs(scenario, subject)
	if len(runs) == 0 {
		return
	}
	rates := collect(runs, rate)
	mid := func(figure func(Run) float64) float64 { return median(collect(runs, figure)) }
	ratio := "-"
	if paired := ratios(runs, r.runs(scenario, r.Config.Subjects[0].Name), rate); len(paired) > 0 {
		ratio = fmt.Sprintf("%.3f", median(paired))
	}
	fmt.Fprintf(b, "%-10s %-10s %9s  %-17s %6s  %6s %6s %6s  %7s %7s\n",
		label, subject, thousands(median(rates)),
		thousands(slices.Min(rates))+"…"+thousands(slices.Max(rates)), ratio,
		micros(mid(func(r Run) float64 { return r.ServerCPU })),
		micros(mid(func(r Run) float64 { return r.ClientCPU })),
		micros(mid(func(r Run) float64 { return r.DatabaseCPU })),
		span(mid(func(r Run) float64 { return r.Client.Latency.P50 })),
		span(mid(func(r Run) float64 { return r.Client.Latency.P99 })))
}

// notes say what the table rests on.
func (r *Report) notes(b *strings.Builder) {
	documents := int64(0)
	for _, run := range r.Runs {
		documents += run.Documents
	}
	fmt.Fprintf(b, "\nMedians of %d runs of %s requests, %d connections, pipeline %d, batches of %d.\n",
		r.Config.Runs, thousands(float64(r.Config.Requests)), r.Config.Connections, r.Config.Pipeline, r.Config.BatchSize)
	fmt.Fprintf(b, "Counted in the database afterwards: %s documents, as many as were sent, run by run.\n", thousands(float64(documents)))
	fmt.Fprintf(b, "%s, %d CPUs, %s, %.0f s in all.\n", r.Machine.CPU, r.Machine.CPUs, r.Machine.Go, r.Seconds)
	for _, s := range r.Scenarios {
		if s.Requests > 0 && s.Requests < r.Config.Requests {
			fmt.Fprintf(b, "Runs of %s are of %s requests, to end within the budget of %v.\n", s.Name, thousands(float64(s.Requests)), r.Config.Budget)
		}
	}
	for _, run := range r.Runs {
		for _, limit := range run.Client.Limits {
			fmt.Fprintf(b, "Limited by the client: %s, %s, run %d: %s.\n", run.Scenario, run.Subject, run.Round+1, limit)
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
