package bench

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/rapidrest/rapidrest/cmd/internal/stats"
)

// Charts are drawn this wide, in units that a page scales to the room it has. At 400 pixels
// the text is still 10 of them high.
const (
	chartWidth = 460.0
	labelWidth = 84.0
	valueWidth = 76.0
	rowHeight  = 24.0
	plotWidth  = chartWidth - labelWidth - valueWidth
)

// palette has a colour for each subject in turn, told apart also by those who see no red or green.
var palette = []string{"#4477aa", "#ee6677", "#999933", "#228833", "#aa3377", "#66ccee"}

func colour(i int) string { return palette[i%len(palette)] }

// A drawing is an SVG under way.
type drawing struct {
	strings.Builder
}

func (d *drawing) text(x, y float64, anchor, format string, args ...any) {
	fmt.Fprintf(d, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, anchor, html.EscapeString(fmt.Sprintf(format, args...)))
}

func (d *drawing) rect(x, y, w, h float64, fill string) {
	fmt.Fprintf(d, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, x, y, max(w, 0), h, fill)
}

func (d *drawing) line(x1, y1, x2, y2 float64, stroke string) {
	fmt.Fprintf(d, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>`, x1, y1, x2, y2, stroke)
}

// whisker draws an interval.
func (d *drawing) whisker(x1, x2, y float64) {
	const ink = "#222222"
	d.line(x1, y, x2, y, ink)
	d.line(x1, y-4, x1, y+4, ink)
	d.line(x2, y-4, x2, y+4, ink)
}

// finish returns the whole SVG; title is what a screen reader says.
func (d *drawing) finish(title string, height float64) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img" font-family="sans-serif" font-size="12" fill="#222222"><title>%s</title><rect width="100%%" height="100%%" fill="#ffffff"/>%s</svg>`,
		chartWidth, height, html.EscapeString(title), d.String())
}

// A bar is one row of a bar chart: a value, or several that add up.
type bar struct {
	label    string
	parts    []float64
	colours  []string
	interval *stats.Estimate // nil for none
	value    string
}

// barChart draws rows from zero, so that lengths compare as values do.
func barChart(title string, bars []bar) string {
	top := 0.0
	for _, b := range bars {
		sum := 0.0
		for _, v := range b.parts {
			sum += v
		}
		if b.interval != nil {
			sum = max(sum, b.interval.Hi)
		}
		top = max(top, sum)
	}
	scale := plotWidth / max(top, math.SmallestNonzeroFloat64)
	var d drawing
	for i, b := range bars {
		y := float64(i) * rowHeight
		d.text(labelWidth-6, y+16, "end", "%s", b.label)
		x := labelWidth
		for k, v := range b.parts {
			d.rect(x, y+4, v*scale, rowHeight-8, b.colours[k])
			x += v * scale
		}
		if b.interval != nil {
			d.whisker(labelWidth+b.interval.Lo*scale, labelWidth+b.interval.Hi*scale, y+rowHeight/2)
		}
		d.text(chartWidth-2, y+16, "end", "%s", b.value)
	}
	d.line(labelWidth, 0, labelWidth, float64(len(bars))*rowHeight, "#222222")
	return d.finish(title, float64(len(bars))*rowHeight+4)
}

// A ratio is one row of a ratio chart.
type ratio struct {
	label  string
	value  stats.Estimate
	noise  float64 // half the width of the grey band around 1
	colour string
}

// ratioChart draws each ratio as a dot with its interval, around a line at 1. What lies
// in the grey is not told from nothing.
func ratioChart(title string, rows []ratio) string {
	lo, hi := 0.95, 1.05
	for _, r := range rows {
		lo, hi = min(lo, r.value.Lo), max(hi, r.value.Hi)
	}
	at := func(v float64) float64 {
		return labelWidth + (min(max(v, lo), hi)-lo)/(hi-lo)*plotWidth
	}
	var d drawing
	bottom := float64(len(rows)) * rowHeight
	for i, r := range rows {
		y := float64(i) * rowHeight
		if r.noise > 0 {
			d.rect(at(1-r.noise), y, at(1+r.noise)-at(1-r.noise), rowHeight, "#dddddd")
		}
		d.text(labelWidth-6, y+16, "end", "%s", r.label)
		d.whisker(at(r.value.Lo), at(r.value.Hi), y+rowHeight/2)
		fmt.Fprintf(&d, `<circle cx="%.1f" cy="%.1f" r="5" fill="%s"/>`, at(r.value.Median), y+rowHeight/2, r.colour)
		d.text(chartWidth-2, y+16, "end", "%.3f", r.value.Median)
	}
	d.line(at(1), 0, at(1), bottom, "#222222")
	for _, v := range []float64{lo, 1, hi} {
		d.text(at(v), bottom+14, "middle", "%.2f", v)
	}
	return d.finish(title, bottom+20)
}

// A series is one line of a line chart: a value per round.
type series struct {
	name   string
	values []float64
	colour string
}

// lineChart draws values in the order they were measured, from zero.
func lineChart(title, unit string, all []series) string {
	const height, left, bottom = 150.0, 8.0, 20.0
	top, most := 0.0, 1
	for _, s := range all {
		for _, v := range s.values {
			top = max(top, v)
		}
		most = max(most, len(s.values))
	}
	x := func(i int) float64 { return left + 10 + float64(i)/float64(max(1, most-1))*(chartWidth-left-30) }
	y := func(v float64) float64 { return 24 + (1-v/max(top, math.SmallestNonzeroFloat64))*(height-24) }
	var d drawing
	d.line(left, height, chartWidth, height, "#222222")
	d.text(left, 14, "start", "%s %s", thousands(top), unit)
	d.text(x(0), height+14, "middle", "1")
	d.text(x(most-1), height+14, "middle", "%d", most)
	for i, s := range all {
		var points strings.Builder
		for k, v := range s.values {
			fmt.Fprintf(&points, "%.1f,%.1f ", x(k), y(v))
			fmt.Fprintf(&d, `<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>`, x(k), y(v), s.colour)
		}
		fmt.Fprintf(&d, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>`, points.String(), s.colour)
		d.rect(150+float64(i)*100, 5, 10, 10, s.colour)
		d.text(164+float64(i)*100, 14, "start", "%s", s.name)
	}
	return d.finish(title, height+bottom)
}
