package router

import (
	"bytes"
	"strings"
)

// find searches the tree for c.path, which begins with a slash, and returns the
// leaf of the route that comes first among those that fit, or nil.
//
// It is complete: what does not lead to a leaf is backed out of, and the next in the order of
// precedence is tried. A node lies at one depth, and every way on but a catch-all takes one
// segment, so a search enters a node at most once. c.steps counts the nodes entered: never more than
// the tree has, whatever the path.
func (t *tree) find(c *Ctx) *leaf {
	return t.beyond(c, t.whole.find(c.path))
}

// beyond goes on from what t.whole has found.
func (t *tree) beyond(c *Ctx, l *leaf) *leaf {
	if l = l.accept(c); l != nil {
		return l
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
		w := wordAt(p, pos)
		slash := zeros(w ^ slashes)
		if len(n.keys) > 0 {
			key := w & through(slash)
			h := hash(key, n.shift)
			e := &n.edges[h]
			if n.keys[h] != key || slash == 0 && !e.begins(p, pos) {
				e = n.another(e, p, pos, key)
			}
			if e != nil {
				end := pos + e.size
				if slash != 0 {
					end = pos + firstOf(slash) + 1 // the same, but known without waiting for e
				}
				if n.single && e.leaf == nil {
					n, pos = e.next, end
					continue
				}
				if l := e.follow(c, end, slot); l != nil {
					return l
				}
			}
		}
		if n.single {
			return nil
		}
		end := pos
		if c.escaped {
			end = c.segmentEnd(pos)
		} else {
			stop := slash | zeros(w) | zeros(w^percents) | zeros(w^queries)
			for stop == 0 {
				end += 8
				stop = stops(wordAt(p, end))
			}
			end += firstOf(stop)
		}
		if end == pos || end < len(p) && p[end] != '/' || byte(w) == '.' && isDots(p[pos:end]) {
			return nil
		}
		for i := range n.params {
			if l := n.params[i].find(c, pos, end, slot); l != nil {
				return l
			}
		}
		if n.plain {
			c.spans[slot] = span{uint32(pos), uint32(end)}
			switch {
			case end == len(p):
				if l := n.end.accept(c); l != nil {
					return l
				}
			case n.rest == nil:
				n, pos, slot = n.next, end+1, slot+1
				continue
			default:
				if l := n.next.find(c, end+1, slot+1); l != nil {
					return l
				}
			}
		}
		if n.rest != nil && c.restFits(end) {
			c.spans[slot] = span{uint32(pos), uint32(len(p))}
			return n.rest.accept(c)
		}
		return nil
	}
	return nil
}

// begins reports whether the path from pos on, of which the key is known to be the edge's, begins
// with its text, and ends there if the edge is the last.
func (e *edge) begins(p []byte, pos int) bool {
	end := pos + e.size
	if end > len(p) || e.leaf != nil && end != len(p) {
		return false
	}
	return e.tail == "" || string(p[end-len(e.tail):end]) == e.tail
}

// another returns the edge with which the path goes on at pos, where it is not the one in
// the key's place, or nil.
func (n *node) another(e *edge, p []byte, pos int, key uint64) *edge {
	if !n.chained {
		return nil
	}
	for e = e.more; e != nil && (e.key != key || !e.begins(p, pos)); {
		e = e.more
	}
	return e
}

// follow goes on after the edge, which ends at end.
func (e *edge) follow(c *Ctx, end, slot int) *leaf {
	if e.leaf != nil {
		return e.leaf.accept(c)
	}
	return e.next.find(c, end, slot)
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
	stop := stops(wordAt(p, pos))
	for stop == 0 {
		pos += 8
		stop = stops(wordAt(p, pos))
	}
	return pos + firstOf(stop)
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
