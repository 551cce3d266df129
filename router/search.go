package router

import (
	"bytes"
	"strings"
)

// find searches the tree below n for c.path from pos on, and returns the leaf of the route that
// comes first among those that fit, or nil.
//
// It is complete: what does not lead to a leaf is backed out of, and the next in the order of precedence
// is tried. A node lies at one depth, and every edge but a catch-all takes one segment, so a node is
// entered at most once in a search; steps counts them. A search therefore takes no more steps than the tree has nodes, whatever the path.
func (n *node) find(c *Ctx, pos, slot int) *leaf {
	p := c.path
	c.steps++
	w := wordAt(p, pos)
	if len(n.tails.places) > 0 {
		if l := n.tails.find(p, pos, w); l != nil {
			if l = l.accept(c); l != nil {
				return l
			}
		}
	}
	if len(n.literals.places) > 0 {
		if it := n.literals.find(p, pos, w); it != nil {
			if l := it.next.find(c, pos+len(it.text), slot); l != nil {
				return l
			}
		}
	}
	if len(n.params) > 0 {
		if end := c.segmentEnd(pos, w); end > pos {
			for i := range n.params {
				if l := n.params[i].find(c, pos, end, slot); l != nil {
					return l
				}
			}
		}
	}
	if n.rest != nil && c.restFits(pos) {
		c.spans[slot] = span{uint32(pos), uint32(len(p))}
		return n.rest.accept(c)
	}
	return nil
}

// find tries the segment that lies between pos and end.
func (m *param) find(c *Ctx, pos, end, slot int) *leaf {
	from, to := pos, end
	if m.segment.kind != plain {
		var ok bool
		if from, to, ok = m.segment.fit(c, pos, end); !ok {
			return nil
		}
	}
	c.spans[slot] = span{uint32(from), uint32(to)}
	if end == len(c.path) {
		if m.end == nil {
			return nil
		}
		return m.end.accept(c)
	}
	if m.next == nil {
		return nil
	}
	return m.next.find(c, end+1, slot+1)
}

// fit returns where the parameter lies in the segment between pos and end.
func (s *segment) fit(c *Ctx, pos, end int) (from, to int, ok bool) {
	text := c.path[pos:end]
	if len(text) <= len(s.prefix)+len(s.suffix) ||
		!strings.HasPrefix(string(text), s.prefix) || !strings.HasSuffix(string(text), s.suffix) {
		return 0, 0, false
	}
	from, to = pos+len(s.prefix), end-len(s.suffix)
	return from, to, s.typ == nil || s.typ.fits(c.plainly(c.path[from:to]))
}

// plainly returns a value of the path as a type's function is to see it.
func (c *Ctx) plainly(v []byte) []byte {
	if c.escaped && bytes.IndexByte(v, foldedSlash) >= 0 {
		return bytes.ReplaceAll(v, []byte{foldedSlash}, []byte{'/'})
	}
	return v
}

// segmentEnd returns where the segment that begins at pos ends, or pos where no parameter can take it: it is
// empty, a dot segment, or holds a byte that sends the path the long way (see match).
func (c *Ctx) segmentEnd(pos int, w uint64) int {
	p := c.path
	end := pos
	if c.escaped {
		if i := bytes.IndexByte(p[pos:], '/'); i >= 0 {
			return pos + i
		}
		return len(p)
	}
	for {
		stop := zeros(w) | zeros(w^slashes) | zeros(w^percents) | zeros(w^queries)
		if stop != 0 {
			end += firstByte(stop)
			break
		}
		end += 8
		w = wordAt(p, end)
	}
	if end < len(p) && p[end] != '/' || p[pos] == '.' && isDots(p[pos:end]) {
		return pos
	}
	return end
}

// restFits reports whether a catch-all can take the path from pos on.
func (c *Ctx) restFits(pos int) bool {
	for {
		end := c.segmentEnd(pos, wordAt(c.path, pos))
		if end == pos {
			return false
		}
		if end >= len(c.path)-1 {
			return true
		}
		pos = end + 1
	}
}
