package tune

import (
	"fmt"
	"io"
	"strings"

	"github.com/rapidrest/rapidrest/cmd/internal/stats"
)

// A Report is what the sweeps have shown.
type Report struct {
	Sweeps      []Sweep  `json:"sweeps"`
	Recommended *Setting `json:"recommended"` // nil if not all sweeps were made
}

// A Sweep is one curve.
type Sweep struct {
	Name   string  `json:"name"`
	Points []Point `json:"points"`
	Best   int     `json:"best"`   // index of the highest median
	Chosen int     `json:"chosen"` // index of what is recommended
}

// A Point is what the runs of one setting have shown.
type Point struct {
	Setting
	Documents int            `json:"documents"` // in a run
	Rate      stats.Estimate `json:"rate"`      // documents a second
	Rates     []float64      `json:"rates"`     // of every run
}

// closeEnough is the share of the best median that a recommended setting has at least.
const closeEnough = 0.95

// choose returns the point with the highest median, and the first that cannot be told from it.
func choose(points []Point) (best, chosen int) {
	for i, p := range points {
		if p.Rate.Median > points[best].Rate.Median {
			best = i
		}
	}
	top := points[best].Rate
	for i, p := range points {
		if p.Rate.Hi >= top.Lo && p.Rate.Median >= closeEnough*top.Median {
			return best, i
		}
	}
	return best, best
}

// WriteText writes the curves and the recommendation for people, in at most 80 columns.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, s := range r.Sweeps {
		s.write(&b)
	}
	if r.Recommended != nil {
		fmt.Fprintf(&b, "Recommended: --batch-size %d --inflight %d --linger %v\n", r.Recommended.Size, r.Recommended.Inflight, r.Recommended.Linger)
	} else {
		b.WriteString("Not complete: nothing to recommend yet.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// barWidth is how many columns the best median gets.
const barWidth = 30

func (s *Sweep) write(b *strings.Builder) {
	fmt.Fprintf(b, "%-9s %10s  %-17s\n", s.Name, "docs/s", interval(s.Points))
	top := s.Points[s.Best].Rate.Median
	for i, p := range s.Points {
		mark := ""
		switch i {
		case s.Chosen:
			mark = " <- smallest that cannot be told from the best"
			if i == s.Best {
				mark = " <- best"
			}
		case s.Best:
			mark = " <- best"
		}
		bar := strings.Repeat("#", int(p.Rate.Median/top*barWidth+0.5))
		fmt.Fprintf(b, "%-9s %10.0f  %-17s %s\n", s.value(p), p.Rate.Median, fmt.Sprintf("%.0f…%.0f", p.Rate.Lo, p.Rate.Hi), bar)
		if mark != "" {
			fmt.Fprintf(b, "%39s%s\n", "", mark)
		}
	}
	b.WriteByte('\n')
}

func interval(points []Point) string {
	if points[0].Rate.Sure {
		return "95 % interval"
	}
	return "lowest…highest"
}

// value prints what the sweep varies.
func (s *Sweep) value(p Point) string {
	switch s.Name {
	case "inflight":
		return fmt.Sprint(p.Inflight)
	case "linger":
		return p.Linger.String()
	}
	return fmt.Sprint(p.Size)
}
