package bench

import (
	"fmt"
	"html"
	"strings"
)

// svg is a canvas that writes the elements of an SVG.
type svg struct{ strings.Builder }

// SVG is the picture as a file by itself, or to be put into a page.
func (p picture) SVG() string {
	var c svg
	p.draw(&c)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img" font-family="sans-serif" font-size="%d" fill="%s"><title>%s</title><rect width="100%%" height="100%%" fill="#ffffff"/>%s</svg>`,
		chartWidth, p.height, fontSize, ink, html.EscapeString(p.title), c.String())
}

func (c *svg) text(x, y float64, at anchor, text string) {
	fmt.Fprintf(c, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x, y, at, html.EscapeString(text))
}

func (c *svg) rect(x, y, w, h float64, fill string) {
	fmt.Fprintf(c, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`, x, y, max(w, 0), h, fill)
}

func (c *svg) line(points []point, width float64, stroke string) {
	var list strings.Builder
	for _, p := range points {
		fmt.Fprintf(&list, "%.1f,%.1f ", p.x, p.y)
	}
	fmt.Fprintf(c, `<polyline points="%s" fill="none" stroke="%s" stroke-width="%g"/>`, list.String(), stroke, width)
}

func (c *svg) dot(x, y, radius float64, fill string) {
	fmt.Fprintf(c, `<circle cx="%.1f" cy="%.1f" r="%g" fill="%s"/>`, x, y, radius, fill)
}
