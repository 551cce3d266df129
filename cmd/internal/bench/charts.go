package bench

import (
	"fmt"
	"slices"
)

// A Chart is one picture of a report.
type Chart struct {
	Name  string // of its file, without .svg
	Title string
	Note  string // how to read it
	SVG   string
}

// Charts draws the report: the rates of each scenario, what the subjects are to the first, what
// a request takes of CPU, and the runs in the order they were made.
func (r *Report) Charts() []Chart {
	var charts []Chart
	if rows := r.ratios(); len(rows) > 0 {
		title := "Requests a second, to those of " + r.Config.Subjects[0].Name
		charts = append(charts, Chart{"ratio", title, "1 is as fast; the lines are intervals. What lies in the grey cannot be told from noise.", ratioChart(title, rows)})
	}
	for _, s := range r.Scenarios {
		summaries := r.of(s.Name)
		if len(summaries) == 0 {
			continue
		}
		title := fmt.Sprintf("%s: requests a second", s.Name)
		charts = append(charts, Chart{"rate-" + s.Name, title, s.Title + ".", barChart(title, r.rates(summaries))})
	}
	for _, s := range r.Scenarios {
		summaries := r.of(s.Name)
		if len(summaries) == 0 {
			continue
		}
		title := fmt.Sprintf("%s: CPU µs a request", s.Name)
		charts = append(charts, Chart{"cpu-" + s.Name, title, "Dark the server, with its figure at the right; then the client; pale the database.", barChart(title, cpus(&s, summaries))})
	}
	for _, s := range r.Scenarios {
		if len(r.of(s.Name)) == 0 {
			continue
		}
		title := fmt.Sprintf("%s: run by run", s.Name)
		charts = append(charts, Chart{"runs-" + s.Name, title, "A line that falls is a server, a database or a machine that tires.", lineChart(title, "requests/s", r.series(s.Name, rate))})
	}
	if len(r.Runs) > 0 {
		title := "Resident memory after each run"
		charts = append(charts, Chart{"memory", title, "All scenarios one after the other.", lineChart(title, "MiB", r.series("", func(r Run) float64 { return float64(r.RSS) / (1 << 20) }))})
	}
	return charts
}

// of returns the summaries of a scenario.
func (r *Report) of(scenario string) []Summary {
	return slices.DeleteFunc(slices.Clone(r.Summaries), func(s Summary) bool { return s.Scenario != scenario })
}

func (r *Report) ratios() []ratio {
	var rows []ratio
	for _, s := range r.Summaries {
		if s.RateChange == nil || s.Subject == Control {
			continue
		}
		rows = append(rows, ratio{label: s.Scenario, value: s.RateChange.Ratio, noise: r.Noise(s.Scenario), colour: r.colourOf(s.Subject)})
	}
	return rows
}

func (r *Report) colourOf(subject string) string {
	return colour(slices.IndexFunc(r.Config.Subjects, func(s Subject) bool { return s.Name == subject }))
}

func (r *Report) rates(summaries []Summary) []bar {
	bars := make([]bar, len(summaries))
	for i, s := range summaries {
		bars[i] = bar{
			label: s.Subject, parts: []float64{s.Rate.Median}, colours: []string{r.colourOf(s.Subject)},
			interval: &summaries[i].Rate, value: thousands(s.Rate.Median),
		}
	}
	return bars
}

func cpus(scenario *Scenario, summaries []Summary) []bar {
	bars := make([]bar, len(summaries))
	for i, s := range summaries {
		parts := []float64{s.ServerCPU.Median, s.ClientCPU.Median, 0}
		if scenario.Stores {
			parts[2] = s.DatabaseCPU.Median
		}
		bars[i] = bar{
			label: s.Subject, parts: parts, colours: []string{"#224466", "#6699cc", "#ccddee"},
			value: micros(s.ServerCPU.Median),
		}
	}
	return bars
}

// series has a line for each subject: one figure of its runs in a scenario, or in all.
func (r *Report) series(scenario string, figure func(Run) float64) []series {
	var all []series
	for _, subject := range r.Config.Subjects {
		s := series{name: subject.Name, colour: r.colourOf(subject.Name)}
		for _, run := range r.Runs {
			if run.Subject == subject.Name && (scenario == "" || run.Scenario == scenario) {
				s.values = append(s.values, figure(run))
			}
		}
		all = append(all, s)
	}
	return all
}
