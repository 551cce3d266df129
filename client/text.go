package client

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Err is nil when every request was answered with a 2xx, and otherwise says in one line how
// many were not, and why.
func (r *Result) Err() error {
	failed := r.Failed()
	if failed == 0 && r.Answered > 0 {
		return nil
	}
	var why []string
	for _, status := range slices.Sorted(maps.Keys(r.Status)) {
		if status/100 != 2 {
			why = append(why, fmt.Sprintf("%d with status %d", r.Status[status], status))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Errors)) {
		why = append(why, fmt.Sprintf("%d %s (%s)", r.Errors[kind], kind, r.Samples[kind]))
	}
	if n := r.Unsent(); n > 0 {
		why = append(why, fmt.Sprintf("%d never sent", n))
	}
	return fmt.Errorf("client: %d of %d requests failed: %s", failed, r.Requests, strings.Join(why, ", "))
}

// WriteText writes the result for people: a dozen lines of at most 80 columns.
func (r *Result) WriteText(w io.Writer) error {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-14s "+format+"\n", append([]any{name}, args...)...)
	}
	row("sent", "%d of %d", r.Sent, r.Requests)
	row("answered", "%d%s", r.Answered, byStatus(r.Status))
	for _, kind := range slices.Sorted(maps.Keys(r.Errors)) {
		row("error", "%s: %d, as in: %s", kind, r.Errors[kind], r.Samples[kind])
	}
	if n := r.Unsent(); n > 0 {
		row("never sent", "%d", n)
	}
	row("time", "%.3f s", r.Seconds)
	row("rate", "%.0f requests/s", r.RPS)
	row("latency", "%s", r.Latency)
	if r.Uncorrected != nil {
		row("", "from when a request was due; from when it was sent:")
		row("  uncorrected", "%s", *r.Uncorrected)
	}
	if r.CPUPerRequest > 0 {
		row("client CPU", "%.2f µs a request, %.2f s in all", r.CPUPerRequest, r.CPUSeconds)
	}
	for _, limit := range r.Limits {
		row("limited", "%s", limit)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func byStatus(status map[int]int64) string {
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(status)) {
		parts = append(parts, fmt.Sprintf("%d × %d", s, status[s]))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// String gives the quantiles, each in the unit that fits it.
func (l Latency) String() string {
	return fmt.Sprintf("p50 %s  p90 %s  p99 %s  p99.9 %s  max %s",
		span(l.P50), span(l.P90), span(l.P99), span(l.P999), span(l.Max))
}

// span prints microseconds with three digits.
func span(us float64) string {
	switch {
	case us < 1e3:
		return fmt.Sprintf("%.3g µs", us)
	case us < 1e6:
		return fmt.Sprintf("%.3g ms", us/1e3)
	}
	return fmt.Sprintf("%.3g s", us/1e6)
}
