package bench

import (
	"fmt"
	"math"

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
	fontSize   = 12
)

// palette has a colour for each subject in turn; the first six are told apart also by those who
// see no red or green.
var palette = []string{
	"#4477aa", "#ee6677", "#999933", "#228833", "#aa3377", "#66ccee",
	"#222255", "#cc9900", "#777777", "#99ddcc", "#883300", "#bb88dd",
	"#117733", "#dd77aa", "#0055cc", "#aaaa00", "#552266", "#ff9966",
}

func colour(i int) string { return palette[i%len(palette)] }

const ink = "#222222"

// A canvas is what a picture is drawn on. Coordinates are in the units of chartWidth, from the
// upper left; colours are #rrggbb.
type canvas interface {
	text(x, y float64, at anchor, text string)
	rect(x, y, w, h float64, fill string)
	line(points []point, width float64, stroke string)
	dot(x, y, radius float64, fill string)
}

type point struct{ x, y float64 }

// An anchor is the part of a text that lies at its coordinates, in the words of SVG.
type anchor string

const (
	start  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)

// A picture is a chart that can be drawn on any canvas.
type picture struct {
	title  string // what a screen reader says
	height float64
	draw   func(canvas)
}

func stroke(c canvas, x1, y1, x2, y2 float64, colour string) {
	c.line([]point{{x1, y1}, {x2, y2}}, 1, colour)
}

// whisker draws an interval.
func whisker(c canvas, x1, x2, y float64) {
	stroke(c, x1, y, x2, y, ink)
	stroke(c, x1, y-4, x1, y+4, ink)
	stroke(c, x2, y-4, x2, y+4, ink)
}

// A bar is one row of a bar chart: a value, or several that add up.
type bar struct {
	label    string
	parts    []float64
	colours  []string
	interval *stats.Estimate // nil for none
	value    string
}

// length is how far from zero the row reaches, its interval included.
func (b *bar) length() float64 {
	sum := 0.0
	for _, v := range b.parts {
		sum += v
	}
	if b.interval != nil {
		sum = max(sum, b.interval.Hi)
	}
	return sum
}

// barChart draws rows from zero, so that lengths compare as values do.
func barChart(title string, bars []bar) picture {
	top := math.SmallestNonzeroFloat64
	for i := range bars {
		top = max(top, bars[i].length())
	}
	scale := plotWidth / top
	bottom := float64(len(bars)) * rowHeight
	return picture{title, bottom + 4, func(c canvas) {
		for i, b := range bars {
			y := float64(i) * rowHeight
			c.text(labelWidth-6, y+16, end, b.label)
			x := labelWidth
			for k, v := range b.parts {
				c.rect(x, y+4, v*scale, rowHeight-8, b.colours[k])
				x += v * scale
			}
			if b.interval != nil {
				whisker(c, labelWidth+b.interval.Lo*scale, labelWidth+b.interval.Hi*scale, y+rowHeight/2)
			}
			c.text(chartWidth-2, y+16, end, b.value)
		}
		stroke(c, labelWidth, 0, labelWidth, bottom, ink)
	}}
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
func ratioChart(title string, rows []ratio) picture {
	lo, hi := 0.95, 1.05
	for _, r := range rows {
		lo, hi = min(lo, r.value.Lo), max(hi, r.value.Hi)
	}
	at := func(v float64) float64 {
		return labelWidth + (min(max(v, lo), hi)-lo)/(hi-lo)*plotWidth
	}
	bottom := float64(len(rows)) * rowHeight
	return picture{title, bottom + 20, func(c canvas) {
		for i, r := range rows {
			y := float64(i) * rowHeight
			if r.noise > 0 {
				c.rect(at(1-r.noise), y, at(1+r.noise)-at(1-r.noise), rowHeight, "#dddddd")
			}
			c.text(labelWidth-6, y+16, end, r.label)
			whisker(c, at(r.value.Lo), at(r.value.Hi), y+rowHeight/2)
			c.dot(at(r.value.Median), y+rowHeight/2, 5, r.colour)
			c.text(chartWidth-2, y+16, end, fmt.Sprintf("%.3f", r.value.Median))
		}
		stroke(c, at(1), 0, at(1), bottom, ink)
		for _, v := range ticks(lo, hi) {
			c.text(at(v), bottom+14, middle, fmt.Sprintf("%.2f", v))
		}
	}}
}

// ticks are the ends of a ratio chart's axis, and 1 where it has room between them.
func ticks(lo, hi float64) []float64 {
	const room = 0.15 // of the axis, for a text of four digits
	if (1-lo)/(hi-lo) < room {
		return []float64{1, hi}
	}
	if (hi-1)/(hi-lo) < room {
		return []float64{lo, 1}
	}
	return []float64{lo, 1, hi}
}

// A series is one line of a line chart: a value per round.
type series struct {
	name   string
	values []float64
	colour string
}

// lineChart draws values in the order they were measured, from zero, under a legend.
func lineChart(title, unit string, all []series) picture {
	const left, plot, legendRow, perRow = 8.0, 126.0, 16.0, 4
	legend := float64((len(all)+perRow-1)/perRow) * legendRow
	top, most := math.SmallestNonzeroFloat64, 1
	for _, s := range all {
		for _, v := range s.values {
			top = max(top, v)
		}
		most = max(most, len(s.values))
	}
	above := legend + 20
	bottom := above + plot
	x := func(i int) float64 { return left + 10 + float64(i)/float64(max(1, most-1))*(chartWidth-left-30) }
	y := func(v float64) float64 { return above + (1-v/top)*plot }
	return picture{title, bottom + 20, func(c canvas) {
		stroke(c, left, bottom, chartWidth, bottom, ink)
		c.text(left, legend+14, start, thousands(top)+" "+unit)
		c.text(x(0), bottom+14, middle, "1")
		if most > 1 {
			c.text(x(most-1), bottom+14, middle, fmt.Sprint(most))
		}
		for i, s := range all {
			line := make([]point, len(s.values))
			for k, v := range s.values {
				line[k] = point{x(k), y(v)}
				c.dot(x(k), y(v), 2.5, s.colour)
			}
			c.line(line, 1.5, s.colour)
			column, row := float64(i%perRow), float64(i/perRow)
			c.rect(left+column*112, row*legendRow+5, 10, 10, s.colour)
			c.text(left+14+column*112, row*legendRow+14, start, s.name)
		}
	}}
}
