package bench

import (
	"fmt"
	"strings"
)

// Charts draws, for each scenario and figure, the ratio that every try found: the control's
// beside 1, the planted one's off it.
func (c *Check) Charts() []Chart {
	files := map[string]string{rateFigure: "rate", cpuFigure: "cpu"}
	var charts []Chart
	for _, scenario := range c.scenarios() {
		for _, figure := range []string{rateFigure, cpuFigure} {
			var rows []ratio
			for i, subject := range []string{Control, planted} {
				for _, t := range c.tries(scenario, subject, figure) {
					rows = append(rows, ratio{label: fmt.Sprint(subject, " ", t.Number), value: t.Ratio, colour: colour(i)})
				}
			}
			if len(rows) > 0 {
				title := fmt.Sprintf("%s: %s, to the baseline's", scenario, figure)
				note := "A row for each try, with its interval: the control should lie around 1, the planted one beside it."
				charts = append(charts, Chart{files[figure] + "-" + scenario, title, note, ratioChart(title, rows)})
			}
		}
	}
	return charts
}

// WriteDir writes report.html, which needs no other file and no network, report.json with the
// reports of all tries, and the charts as SVG and PNG files, into a directory that is made if it is
// missing.
func (c *Check) WriteDir(dir string) error {
	var table strings.Builder
	if err := c.WriteTable(&table); err != nil {
		return err
	}
	page := checkPage{Table: table.String(), Charts: c.Charts()}
	if c.Tries > 0 {
		page.First = c.Reports[0]
	}
	for _, scenario := range c.scenarios() {
		for _, subject := range []string{Control, planted} {
			for _, figure := range []string{rateFigure, cpuFigure} {
				page.Tries = append(page.Tries, c.tries(scenario, subject, figure)...)
			}
		}
	}
	return writeDir(dir, "check.gohtml", page, page.Charts, c)
}

// checkPage is what check.gohtml shows.
type checkPage struct {
	First  *Report // nil where no try was completed
	Table  string
	Charts []Chart
	Tries  []try
}
