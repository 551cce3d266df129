package router

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// find searches the tree for c.path, which begins with a slash, and returns the leaf of the route
// that comes first among those that fit, or nil.
//
// It is complete: what does not lead to a leaf is backed out of, and the next in the order of
// precedence is tried. A node lies at one depth, and every edge but a catch-all takes whole
// segments, so a search enters a node at most once. c.steps counts the nodes entered: never more than the
// tree has, whatever the path.
func (t *tree) find(c *Ctx) *leaf {
	if l := t.whole.find(c.path); l != nil {
		if l.direct {
			return l
		}
		if l = l.accept(c); l != nil {
			return l
		}
	}
	if t.root == nil {
		return nil
	}
	return t.root.find(c, 1, 0)
}

// find searches the part of the tree below n for the path from pos on. The next parameter has the
// number slot.
//
// Where there is only one way to go on it goes round its loop; it calls itself only where it
// may have to come back.
func (n *node) find(c *Ctx, pos, slot int) *leaf {
	p := c.path
	for n != nil {
		c.steps++
		if pos >= len(p) {
			return n.slash.accept(c)
		}
		var w uint64
		if pos+8 <= len(p) {
			w = binary.LittleEndian.Uint64(p[pos:])
		} else {
			w = wordAtEnd(p, pos)
		}
		slash := zeros(w ^ slashes)
		if len(n.edges) > 0 {
			key := w & through(slash)
			e := &n.edges[key*n.factor>>(n.shift&63)]
			for e != nil && (e.key != key || !e.begins(p[pos:])) {
				e = e.more
			}
			if e != nil {
				if n.single && e.leaf == nil {
					n, pos = e.next, pos+len(e.text)
					continue
				}
				if l := e.follow(c, pos, slot); l != nil {
					return l
				}
			}
		}
		if n.single {
			return nil
		}
		end := pos
		stop := slash | zeros(w) | zeros(w^percents) | zeros(w^queries)
		if stop != 0 && !c.escaped {
			end += firstOf(stop)
		} else {
			end = c.segmentEnd(pos)
		}
		if end == pos || end < len(p) && p[end] != '/' || byte(w) == '.' && isDots(p[pos:end]) {
			return nil
		}
		for i := range n.params {
			if l := n.params[i].find(c, pos, end, slot); l != nil {
				return l
			}
		}
		if n.isPlain {
			c.spans[slot] = span{uint32(pos), uint32(end)}
			if end == len(p) {
				if l := n.plain.end.accept(c); l != nil {
					return l
				}
			} else {
				if n.rest == nil {
					n, pos, slot = n.plain.next, end+1, slot+1
					continue
				}
				if l := n.plain.next.find(c, end+1, slot+1); l != nil {
					return l
				}
			}
		}
		if n.rest != nil && c.restFits(pos) {
			c.spans[slot] = span{uint32(pos), uint32(len(p))}
			return n.rest.accept(c)
		}
		return nil
	}
	return nil
}

// begins reports whether p, which begins with the edge's key, begins with its text, and
// ends there if the edge is an end.
func (e *edge) begins(p []byte) bool {
	if len(p) < len(e.text) || e.leaf != nil && len(p) != len(e.text) {
		return false
	}
	return e.rest == "" || string(p[len(e.text)-len(e.rest):len(e.text)]) == e.rest
}

// follow takes the edge, and returns nil where it leads nowhere.
func (e *edge) follow(c *Ctx, pos, slot int) *leaf {
	if e.leaf != nil {
		return e.leaf.accept(c)
	}
	return e.next.find(c, pos+len(e.text), slot)
}

// find tries the segment that lies between pos and end.
func (m *param) find(c *Ctx, pos, end, slot int) *leaf {
	from, to, ok := m.segment.fit(c, pos, end)
	if !ok {
		return nil
	}
	c.spans[slot] = span{uint32(from), uint32(to)}
	if end == len(c.path) {
		return m.end.accept(c)
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

// segmentEnd returns where the segment that begins at pos ends, or where it has a byte that sends
// the path the long way (see Matcher.match).
func (c *Ctx) segmentEnd(pos int) int {
	p := c.path
	if c.escaped {
		if i := bytes.IndexByte(p[pos:], '/'); i >= 0 {
			return pos + i
		}
		return len(p)
	}
	for ; ; pos += 8 {
		if stop := stops(wordAt(p, pos)); stop != 0 {
			return pos + firstOf(stop)
		}
	}
}

// restFits reports whether a catch-all can take the path from pos on: segments that are neither empty
// nor dots, and perhaps a slash at the end.
func (c *Ctx) restFits(pos int) bool {
	p := c.path
	for pos < len(p) {
		end := c.segmentEnd(pos)
		if end == pos || end < len(p) && p[end] != '/' || isDots(p[pos:end]) {
			return false
		}
		pos = end + 1
	}
	return true
}
