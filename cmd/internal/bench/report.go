package bench

import (
	"slices"
	"time"
)

// A Report is everything that was measured. It is what --json writes.
type Report struct {
	Started   time.Time  `json:"started"`
	Seconds   float64    `json:"seconds"`
	Machine   Machine    `json:"machine"`
	Config    Config     `json:"config"`
	Scenarios []Scenario `json:"scenarios"`
	Runs      []Run      `json:"runs"` // in the order they were made
}

// Subjects lists the subjects that have runs, in the order of their first.
func (r *Report) Subjects() []string {
	var names []string
	for _, run := range r.Runs {
		if !slices.Contains(names, run.Subject) {
			names = append(names, run.Subject)
		}
	}
	return names
}

// runs returns the runs of a subject in a scenario, by round.
func (r *Report) runs(scenario, subject string) []Run {
	var out []Run
	for _, run := range r.Runs {
		if run.Scenario == scenario && run.Subject == subject {
			out = append(out, run)
		}
	}
	return out
}

// collect picks one figure of each run.
func collect(runs []Run, figure func(Run) float64) []float64 {
	out := make([]float64, len(runs))
	for i, run := range runs {
		out[i] = figure(run)
	}
	return out
}

func rate(r Run) float64 { return r.Rate }

// ratios divides a figure of each run by that of the base's run of the same round.
func ratios(runs, base []Run, figure func(Run) float64) []float64 {
	var out []float64
	for _, run := range runs {
		for _, b := range base {
			if b.Round == run.Round && figure(b) > 0 {
				out = append(out, figure(run)/figure(b))
			}
		}
	}
	return out
}
