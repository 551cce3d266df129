package router

import (
	"bytes"
	"strings"
)

// find searches the tree for c.path, which begins with a slash, and returns the leaf of the route
// that comes first among those that fit, or nil.
//
// It is complete: what does not lead to a leaf is backed out of, and the next in the order of
// precedence is tried. A node lies at one depth, and every way on but a catch-all takes one
// segment, so a search enters a node at most once. c.steps counts the nodes entered: never more
// than the tree has, whatever the path.
func (t *tree) find(c *Ctx) *leaf {
	l := t.whole.find(c.path)
	if l = l.accept(c); l != nil || t.root == nil {
		return l
	}
	if c.escaped || len(c.path) < 8 {
		return t.root.find(c, 1, 0)
	}
	c.open = 0
	l = t.root.walk(c)
	for l == nil && c.open > 0 {
		c.open--
		at := &c.choices[c.open]
		l = at.node.parameter(c, int(at.pos), c.segmentEnd(int(at.pos)), int(at.slot))
	}
	return l
}

// choice is a node where a literal fitted, and a parameter may.
type choice struct {
	node      *node
	pos, slot uint32
}

// walk takes the first way at each node, until there is a leaf or no way on. It leaves the nodes
// where it had a choice in c.choices, the deepest last. It is the search of nearly all requests, so
// it calls nothing on its way and keeps all it needs in registers; where a node has more than
// literals and a plain parameter, or there is no room for another choice, find goes on.
//
// The path has eight bytes at least, and is as it came.
func (n *node) walk(c *Ctx) *leaf {
	p, spans := c.path, c.spans
	pos, slot := 1, 0
	for n.odd == nil {
		w := wordAt(p, pos)
		var end int
		var first, last uint64
		if mark := hints(w); mark != 0 {
			end, first = pos+firstOf(mark), w&before(mark)
		} else {
			// This ends: as long as a word has no mark it has no zero, and so lies within the path;
			// the end of the path, where a word has nothing but zeros, is never stepped over.
			for end = pos; mark == 0; mark = hints(wordAt(p, end)) {
				end += 8
			}
			end += firstOf(mark)
			first, last = w, load(p, end-8)
		}
		if uint(end) < uint(len(p)) && p[end] != '/' {
			break
		}
		var e *edge
		if len(n.edges) > 0 { // else nothing is looked up: half of the nodes have parameters only
			e = n.edge(first, last, uint32(end-pos))
		}
		if e == nil {
			if end == pos || byte(w) == '.' {
				break
			}
			if !n.plain {
				return nil
			}
			spans[slot] = span{uint32(pos), uint32(end)}
			slot++
			c.steps++
			if end == len(p) {
				return n.end.accept(c)
			}
			n, pos = n.next, end+1
		} else {
			if e.long || n.plain && !c.choose(n, pos, slot) {
				break
			}
			c.steps++
			if end == len(p) {
				return e.leaf.accept(c)
			}
			n, pos = e.next, end+1
		}
		if n == nil {
			return nil
		}
	}
	return n.find(c, pos, slot)
}

// edge returns the edge of a segment with these ends and this size, or nil. It becomes part of
// walk.
func (n *node) edge(first, last uint64, size uint32) *edge {
	e := &n.edges[hash(first^last, n.shift)]
	for e != nil && (e.first != first || e.last != last || e.size != size) {
		e = e.more
	}
	return e
}

// choose remembers a node, unless there is no room.
func (c *Ctx) choose(n *node, pos, slot int) bool {
	if c.open == len(c.choices) {
		return false
	}
	c.choices[c.open] = choice{n, uint32(pos), uint32(slot)}
	c.open++
	return true
}

// find searches the part of the tree below n for the path from pos on. The next parameter has the
// number slot.
func (n *node) find(c *Ctx, pos, slot int) *leaf {
	c.steps++
	p := c.path
	if pos >= len(p) {
		return n.slash.accept(c)
	}
	end := c.segmentEnd(pos)
	if end == pos || end < len(p) && p[end] != '/' || isDots(p[pos:end]) {
		return nil
	}
	if e := n.literal(p[pos:end]); e != nil {
		if l := goOn(c, end, slot, e.leaf, e.next); l != nil {
			return l
		}
	}
	return n.parameter(c, pos, end, slot)
}

// parameter tries the parameters of a node with the segment that lies between pos and end.
func (n *node) parameter(c *Ctx, pos, end, slot int) *leaf {
	if n.odd != nil {
		for i := range n.odd.params {
			if l := n.odd.params[i].find(c, pos, end, slot); l != nil {
				return l
			}
		}
	}
	if n.plain {
		c.spans[slot] = span{uint32(pos), uint32(end)}
		if l := goOn(c, end, slot+1, n.end, n.next); l != nil {
			return l
		}
	}
	if n.odd != nil && n.odd.rest != nil && c.restFits(end) {
		c.spans[slot] = span{uint32(pos), uint32(len(c.path))}
		return n.odd.rest.accept(c)
	}
	return nil
}

// goOn goes on after a segment that ends at end: to the leaf where the path ends too, and
// else to the next node.
func goOn(c *Ctx, end, slot int, l *leaf, next *node) *leaf {
	switch {
	case end == len(c.path):
		return l.accept(c)
	case next == nil:
		return nil
	}
	return next.find(c, end+1, slot)
}

// find tries the segment that lies between pos and end.
func (m *param) find(c *Ctx, pos, end, slot int) *leaf {
	from, to, ok := m.segment.fit(c, pos, end)
	if !ok {
		return nil
	}
	c.spans[slot] = span{uint32(from), uint32(to)}
	return goOn(c, end, slot+1, m.end, m.next)
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

// segmentEnd returns where the segment that begins at pos ends, or where it has a byte that
// no parameter takes.
func (c *Ctx) segmentEnd(pos int) int {
	p := c.path
	if c.escaped {
		if i := bytes.IndexByte(p[pos:], '/'); i >= 0 {
			return pos + i
		}
		return len(p)
	}
	for pos < len(p) && p[pos] != '/' && p[pos] != '%' && p[pos] != '?' && p[pos] != 0 {
		pos++
	}
	return pos
}

// restFits reports whether a catch-all can take the path that goes on at end, after its first
// segment: no other is empty or dots, but there may be a slash at the end.
func (c *Ctx) restFits(end int) bool {
	p := c.path
	for end+1 < len(p) {
		pos := end + 1
		end = c.segmentEnd(pos)
		if end == pos || end < len(p) && p[end] != '/' || isDots(p[pos:end]) {
			return false
		}
	}
	return true
}
