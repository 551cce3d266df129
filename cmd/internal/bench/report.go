package bench

import (
	"math"
	"slices"
	"time"

	"github.com/rapidrest/rapidrest/client"
	"github.com/rapidrest/rapidrest/cmd/internal/stats"
)

// A Report is everything that was measured. It is what --json writes.
type Report struct {
	Started   time.Time  `json:"started"`
	Seconds   float64    `json:"seconds"`
	Complete  bool       `json:"complete"` // false after Ctrl-C or a fault
	Machine   Machine    `json:"machine"`
	Config    Config     `json:"config"`
	Scenarios []Scenario `json:"scenarios"`

	// Ceilings are the requests a second that the client reaches against a responder which does
	// nothing, by method. A rate near its ceiling says more about the client than the server.
	Ceilings map[string]float64 `json:"ceilings"`

	Summaries []Summary `json:"summaries"`
	Runs      []Run     `json:"runs"` // in the order they were made
}

// A Summary is what the runs of one subject in one scenario say together.
type Summary struct {
	Scenario    string         `json:"scenario"`
	Subject     string         `json:"subject"`
	Runs        int            `json:"runs"`
	Rate        stats.Estimate `json:"rps"`
	ServerCPU   stats.Estimate `json:"server_cpu_us"` // microseconds a request, as are the next two
	ClientCPU   stats.Estimate `json:"client_cpu_us"`
	DatabaseCPU stats.Estimate `json:"database_cpu_us"`
	PeakRSS     int64          `json:"peak_rss"`   // bytes
	Latency     client.Latency `json:"latency_us"` // the median over the runs of each quantile

	// Against the first subject, run by run; nil for that one itself.
	RateChange *stats.Difference `json:"rps_change,omitempty"`
	CPUChange  *stats.Difference `json:"server_cpu_change,omitempty"`
}

// nearCeiling is the share of the client's ceiling from which on a rate is marked.
const nearCeiling = 0.8

// Limited reports whether the client is likely what held the rate down.
func (r *Report) Limited(s *Summary) bool {
	ceiling := r.Ceilings[r.scenario(s.Scenario).Method]
	return ceiling > 0 && s.Rate.Median > nearCeiling*ceiling
}

// summarize draws the summaries from the runs.
func (r *Report) summarize() {
	r.Summaries = nil
	for _, scenario := range r.Scenarios {
		base := r.runs(scenario.Name, r.Config.Subjects[0].Name)
		for i, subject := range r.Config.Subjects {
			runs := r.runs(scenario.Name, subject.Name)
			if len(runs) == 0 {
				continue
			}
			s := summary(runs)
			if i > 0 && len(base) > 0 {
				s.RateChange = change(runs, base, rate)
				s.CPUChange = change(runs, base, serverCPU)
			}
			r.Summaries = append(r.Summaries, s)
		}
	}
}

func summary(runs []Run) Summary {
	of := func(figure func(Run) float64) stats.Estimate { return stats.Of(collect(runs, figure)) }
	quantile := func(pick func(client.Latency) float64) float64 {
		return of(func(r Run) float64 { return pick(r.Client.Latency) }).Median
	}
	s := Summary{
		Scenario: runs[0].Scenario, Subject: runs[0].Subject, Runs: len(runs),
		Rate: of(rate), ServerCPU: of(serverCPU),
		ClientCPU:   of(func(r Run) float64 { return r.ClientCPU }),
		DatabaseCPU: of(func(r Run) float64 { return r.DatabaseCPU }),
		Latency: client.Latency{
			Mean: quantile(func(l client.Latency) float64 { return l.Mean }),
			P50:  quantile(func(l client.Latency) float64 { return l.P50 }),
			P90:  quantile(func(l client.Latency) float64 { return l.P90 }),
			P99:  quantile(func(l client.Latency) float64 { return l.P99 }),
			P999: quantile(func(l client.Latency) float64 { return l.P999 }),
			Max:  quantile(func(l client.Latency) float64 { return l.Max }),
		},
	}
	for _, run := range runs {
		s.PeakRSS = max(s.PeakRSS, run.PeakRSS)
	}
	return s
}

// runs returns the runs of a subject in a scenario, in the order they were made.
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

func rate(r Run) float64      { return r.Rate }
func serverCPU(r Run) float64 { return r.ServerCPU }

// change divides a figure of each run by that of the base's run of the same round. It is nil
// where there is no such pair.
func change(runs, base []Run, figure func(Run) float64) *stats.Difference {
	var ratios []float64
	for _, run := range runs {
		i := slices.IndexFunc(base, func(b Run) bool { return b.Round == run.Round })
		if i >= 0 && figure(run) > 0 && figure(base[i]) > 0 {
			ratios = append(ratios, figure(run)/figure(base[i]))
		}
	}
	if len(ratios) == 0 {
		return nil
	}
	d := stats.Compare(ratios)
	return &d
}

// Noise is how far from 1 the ratio of a subject to its own twin may lie in a scenario: what
// is smaller than that cannot be told from nothing. It is 0 without a control.
func (r *Report) Noise(scenario string) float64 {
	for _, s := range r.Summaries {
		if s.Scenario == scenario && s.Subject == Control && s.RateChange != nil {
			return max(math.Abs(s.RateChange.Ratio.Lo-1), math.Abs(s.RateChange.Ratio.Hi-1))
		}
	}
	return 0
}
