package bench

import "slices"

// A Chart is one picture of a report, with its SVG and WritePNG.
type Chart struct {
	Name  string // of its files, without .svg or .png
	Title string
	Note  string // how to read it
	picture
}

// Charts draws the report: what the subjects are to the first, the rates of each scenario, what
// a request takes of CPU, and the runs in the order they were made.
func (r *Report) Charts() []Chart {
	charts := r.ratioCharts()
	for _, kind := range []func(*Scenario, []Summary) Chart{r.rateChart, r.cpuChart, r.runsChart} {
		for i := range r.Scenarios {
			s := &r.Scenarios[i]
			if summaries := r.of(s.Name); len(summaries) > 0 {
				charts = append(charts, kind(s, summaries))
			}
		}
	}
	mib := func(run Run) float64 { return float64(run.RSS) / (1 << 20) }
	for _, s := range r.Scenarios {
		if s.trend() && len(r.of(s.Name)) > 0 {
			title := s.Name + ": resident memory"
			charts = append(charts, Chart{"memory-" + s.Name, title, "After each run.", lineChart(title, "MiB", r.series(s.Name, mib))})
		}
	}
	if len(r.Runs) > 0 {
		title := "Resident memory after each run"
		charts = append(charts, Chart{"memory", title, "All scenarios one after the other.", lineChart(title, "MiB", r.series("", mib))})
	}
	return charts
}

// ratioCharts is one chart with a row for each scenario or, where several subjects are held
// against the first, a chart for each scenario with a row for each of them.
func (r *Report) ratioCharts() []Chart {
	const note = "1 is as fast; the lines are intervals. What lies in the grey cannot be told from noise."
	title := "Requests a second, to those of " + r.Config.Subjects[0].Name
	var charts []Chart
	var rows []ratio // of scenarios with one subject to compare
	for _, s := range r.Scenarios {
		own := r.ratios(s.Name)
		if len(own) > 1 {
			title := s.Name + ": " + title
			charts = append(charts, Chart{"ratio-" + s.Name, title, note, ratioChart(title, own)})
			continue
		}
		for _, row := range own {
			row.label = s.Name
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		charts = slices.Insert(charts, 0, Chart{"ratio", title, note, ratioChart(title, rows)})
	}
	return charts
}

func (r *Report) rateChart(s *Scenario, summaries []Summary) Chart {
	title := s.Name + ": requests a second"
	return Chart{"rate-" + s.Name, title, s.Title + ".", barChart(title, r.rates(summaries))}
}

func (r *Report) cpuChart(s *Scenario, summaries []Summary) Chart {
	title := s.Name + ": CPU µs a request"
	return Chart{"cpu-" + s.Name, title, "Dark the server, with its figure at the right; then the client; pale the database.", barChart(title, cpus(s, summaries))}
}

func (r *Report) runsChart(s *Scenario, _ []Summary) Chart {
	title := s.Name + ": run by run"
	return Chart{"runs-" + s.Name, title, "A line that falls is a server, a database or a machine that tires.", lineChart(title, "requests/s", r.series(s.Name, rate))}
}

// of returns the summaries of a scenario.
func (r *Report) of(scenario string) []Summary {
	return slices.DeleteFunc(slices.Clone(r.Summaries), func(s Summary) bool { return s.Scenario != scenario })
}

// ratios has a row for each subject of a scenario but the first and its twin.
func (r *Report) ratios(scenario string) []ratio {
	var rows []ratio
	for _, s := range r.of(scenario) {
		if s.RateChange == nil || s.Subject == Control {
			continue
		}
		rows = append(rows, ratio{label: s.Subject, value: s.RateChange.Ratio, noise: r.Noise(scenario), colour: r.colourOf(s.Subject)})
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
		if scenario.database() {
			parts[2] = s.DatabaseCPU.Median
		}
		bars[i] = bar{
			label: s.Subject, parts: parts, colours: []string{"#224466", "#6699cc", "#ccddee"},
			value: micros(s.ServerCPU.Median),
		}
	}
	return bars
}

// series has a line for each subject that has runs: one figure of them in a scenario, or in all.
func (r *Report) series(scenario string, figure func(Run) float64) []series {
	var all []series
	for _, subject := range r.Config.Subjects {
		s := series{name: subject.Name, colour: r.colourOf(subject.Name)}
		for _, run := range r.Runs {
			if run.Subject == subject.Name && (scenario == "" || run.Scenario == scenario) {
				s.values = append(s.values, figure(run))
			}
		}
		if len(s.values) > 0 {
			all = append(all, s)
		}
	}
	return all
}
