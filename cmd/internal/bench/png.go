package bench

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// pngScale is how many pixels a unit of a picture has: enough for a slide, or a dense screen.
const pngScale = 2.5

// raster is a canvas of pixels.
type raster struct {
	img  *image.RGBA
	face font.Face
}

// WritePNG writes the picture as a PNG file of chartWidth × pngScale pixels across.
func (p picture) WritePNG(w io.Writer) error {
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: fontSize * pngScale, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	defer face.Close()
	c := raster{image.NewRGBA(image.Rect(0, 0, int(chartWidth*pngScale), int(p.height*pngScale))), face}
	c.rect(0, 0, chartWidth, p.height, "#ffffff")
	p.draw(&c)
	if err := png.Encode(w, c.img); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	return nil
}

func (c *raster) text(x, y float64, at anchor, text string) {
	d := font.Drawer{Dst: c.img, Src: paint(ink), Face: c.face}
	switch width := float64(d.MeasureString(text)) / 64 / pngScale; at {
	case middle:
		x -= width / 2
	case end:
		x -= width
	}
	d.Dot = fixed.Point26_6{X: fixed.Int26_6(x * pngScale * 64), Y: fixed.Int26_6(y * pngScale * 64)}
	d.DrawString(text)
}

func (c *raster) rect(x, y, w, h float64, fill string) {
	c.fill([]point{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}, fill)
}

// line fills a thin rectangle along each piece; at the blunt angles of a chart no joint shows.
func (c *raster) line(points []point, width float64, stroke string) {
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		length := math.Hypot(b.x-a.x, b.y-a.y)
		if length == 0 {
			continue
		}
		dx, dy := -(b.y-a.y)/length*width/2, (b.x-a.x)/length*width/2
		c.fill([]point{{a.x + dx, a.y + dy}, {b.x + dx, b.y + dy}, {b.x - dx, b.y - dy}, {a.x - dx, a.y - dy}}, stroke)
	}
}

// dot fills a polygon that no eye tells from a circle.
func (c *raster) dot(x, y, radius float64, fill string) {
	const corners = 32
	points := make([]point, corners)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		points[i] = point{x + radius*cos, y + radius*sin}
	}
	c.fill(points, fill)
}

// fill draws within the box around the points: most shapes are small, and there are hundreds.
func (c *raster) fill(points []point, colour string) {
	low, high := points[0], points[0]
	for _, p := range points {
		low = point{min(low.x, p.x), min(low.y, p.y)}
		high = point{max(high.x, p.x), max(high.y, p.y)}
	}
	box := image.Rect(int(low.x*pngScale), int(low.y*pngScale), int(high.x*pngScale)+1, int(high.y*pngScale)+1).Intersect(c.img.Bounds())
	r := vector.NewRasterizer(box.Dx(), box.Dy())
	for i, p := range points {
		x, y := float32(p.x*pngScale)-float32(box.Min.X), float32(p.y*pngScale)-float32(box.Min.Y)
		if i == 0 {
			r.MoveTo(x, y)
		} else {
			r.LineTo(x, y)
		}
	}
	r.ClosePath()
	r.Draw(c.img, box, paint(colour), image.Point{})
}

// paint is a colour written #rrggbb; the charts know no other.
func paint(colour string) *image.Uniform {
	v, _ := strconv.ParseUint(colour[1:], 16, 24)
	return image.NewUniform(color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255})
}
