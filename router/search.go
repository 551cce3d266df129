package router

import (
	"bytes"
	"strings"
)

// find searches the tree for a path, and returns the handler of the route that comes first among
// those that fit, or nil. It leaves the route in c.
//
// It is complete: what does not lead to a leaf is backed out of, and the next in the order of
// precedence is tried. A node lies at one depth, and every way on but a catch-all takes one
// segment, so a search enters a node at most once. c.steps counts the nodes entered: never more
// than the tree has, whatever the path.
func (t *tree) find(c *Ctx, p []byte) Handler {
	c.path = p
	if len(p) < 8 || c.escaped {
		return c.take(t.findOdd(c, p))
	}
	if t.whole.has(len(p)) {
		words := wordsOf(p, len(p)-8)
		it := t.whole.lookUp(words.hash(), words, len(p))
		if it.run != nil {
			c.route = it.route
			return it.run
		}
		if it.size != 0 {
			if l := t.whole.find(p).accept(c); l != nil {
				return c.take(l)
			}
		}
	}
	if t.nodes == nil || p[0] != '/' {
		return nil
	}
	return t.walk(c, p)
}

// findOdd searches for a path that is short, or has been decoded.
func (t *tree) findOdd(c *Ctx, p []byte) *leaf {
	if len(p) == 0 || p[0] != '/' {
		return nil
	}
	if t.whole.has(len(p)) {
		if l := t.whole.find(p).accept(c); l != nil {
			return l
		}
	}
	if t.nodes == nil {
		return nil
	}
	return t.descend(c, root, 1, 0)
}

// take returns the handler of a leaf, and leaves its route in c; or nil.
func (c *Ctx) take(l *leaf) Handler {
	if l == nil {
		return nil
	}
	c.route = l.route
	return l.run
}

// choice is a node where a literal fitted, and a parameter may.
type choice struct{ node, pos, slot uint32 }

// walk searches for a path among those with parameters. It takes the first way at each node, until
// the path ends or there is no way on. It leaves the nodes where it had a choice in c.choices, the
// deepest last. It is the search of nearly all requests, so it calls nothing on its way and keeps
// all it needs in registers; where a node has more than literals and a plain parameter, or there
// is no room for another choice, descend goes on.
//
// The path has eight bytes at least, and is as it came. The tree has nodes.
func (t *tree) walk(c *Ctx, p []byte) Handler {
	c.open = 0
	nodes, spans := t.nodes, c.spans
	at, pos, slot := uint32(root), 1, 0
	n := &nodes[at]
	for !n.odd {
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
		next := nextOf(nodes, n, first, last, uint32(end-pos))
		if next == nowhere {
			if end == pos || byte(w) == '.' {
				break
			}
			if next = n.param; next == nowhere {
				return t.retrace(c, nil)
			}
			spans[slot] = span{uint32(pos), uint32(end)}
			slot++
		} else if nodes[next].long || n.param != nowhere && !c.choose(at, pos, slot) {
			break
		}
		c.steps++
		at, pos = next, end+1
		n = &nodes[at]
		if end == len(p) {
			if n.run == nil {
				return t.retrace(c, n.rare.leaf.accept(c))
			}
			c.route = n.route
			return n.run
		}
	}
	return t.retrace(c, t.descend(c, at, pos, slot))
}

// choose remembers a node, unless there is no room.
func (c *Ctx) choose(node uint32, pos, slot int) bool {
	if c.open == uint32(len(c.choices)) {
		return false
	}
	c.choices[c.open] = choice{node, uint32(pos), uint32(slot)}
	c.open++
	return true
}

// retrace goes back to where walk had a choice, until there is a leaf.
func (t *tree) retrace(c *Ctx, l *leaf) Handler {
	for l == nil && c.open > 0 {
		c.open--
		at := &c.choices[c.open]
		l = t.parameter(c, &t.nodes[at.node], int(at.pos), c.segmentEnd(int(at.pos)), int(at.slot))
	}
	return c.take(l)
}

// descend searches the part of the tree below a node for the path from pos on. The next parameter
// has the number slot.
func (t *tree) descend(c *Ctx, node uint32, pos, slot int) *leaf {
	c.steps++
	p, n := c.path, &t.nodes[node]
	if pos >= len(p) {
		return n.rare.slash.accept(c)
	}
	end := c.segmentEnd(pos)
	if end == pos || end < len(p) && p[end] != '/' || isDots(p[pos:end]) {
		return nil
	}
	first, last := ends(p[pos:end])
	next := nextOf(t.nodes, n, first, last, uint32(end-pos))
	for next != nowhere && t.nodes[next].rare.text != string(p[pos:end]) {
		next = t.nodes[next].more
	}
	if l := t.goOn(c, end, slot, next); l != nil {
		return l
	}
	return t.parameter(c, n, pos, end, slot)
}

// parameter tries the parameters of a node with the segment that lies between pos and end.
func (t *tree) parameter(c *Ctx, n *node, pos, end, slot int) *leaf {
	for i := range n.rare.params {
		m := &n.rare.params[i]
		if from, to, ok := m.segment.fit(c, pos, end); ok {
			c.spans[slot] = span{uint32(from), uint32(to)}
			if l := t.goOn(c, end, slot+1, m.node); l != nil {
				return l
			}
		}
	}
	if n.param != nowhere {
		c.spans[slot] = span{uint32(pos), uint32(end)}
		if l := t.goOn(c, end, slot+1, n.param); l != nil {
			return l
		}
	}
	if n.rare.rest != nil && c.restFits(end) {
		c.spans[slot] = span{uint32(pos), uint32(len(c.path))}
		return n.rare.rest.accept(c)
	}
	return nil
}

// goOn goes on at the node after a segment that ends at end: to the leaf where the path ends too.
func (t *tree) goOn(c *Ctx, end, slot int, node uint32) *leaf {
	switch {
	case node == nowhere:
		return nil
	case end == len(c.path):
		return t.nodes[node].rare.leaf.accept(c)
	}
	return t.descend(c, node, end+1, slot)
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
