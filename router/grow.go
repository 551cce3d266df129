package router

import (
	"maps"
	"slices"
	"strings"
)

// leaf is the end of a path. Routes of one path are a list: those that require more
// query keys come first.
type leaf struct {
	route   *Route
	run     Handler
	query   []queryKey
	direct  bool      // the path is all that is asked for
	next    *leaf     // the next route of this path
	methods methodSet // not 0: the leaf collects these, and accepts nothing
}

// grower builds a tree from leaves that come in the order of precedence.
type grower struct {
	wholes map[string]*leaf
	root   *sprout
	last   *leaf // the leaf added before, to which a route of the same path is linked
	nodes  int
}

// sprout is a node that is being built.
type sprout struct {
	slash    *leaf
	literals map[string]*branch // by segment
	params   []*branch
	rest     *leaf
}

// branch is a segment that is being built.
type branch struct {
	segment segment
	end     *leaf   // the path ends after it
	next    *sprout // the path goes on after its slash
}

// add puts a leaf where its route's path ends.
func (g *grower) add(l *leaf) {
	p := &l.route.parsed
	if g.last != nil && comparePaths(&g.last.route.parsed, p) == 0 {
		g.last.link(l)
		return
	}
	g.last = l
	if !slices.ContainsFunc(p.segments, func(s segment) bool { return s.kind != literal }) {
		if g.wholes == nil {
			g.wholes = make(map[string]*leaf)
		}
		g.wholes[p.literalPath()] = l
		return
	}
	if g.root == nil {
		g.root = new(sprout)
	}
	g.root.add(p.segments, p.slash, l)
}

// link adds a route of the same path to a leaf.
func (l *leaf) link(next *leaf) {
	if l.methods != 0 {
		l.methods |= next.methods
		return
	}
	l.direct = false
	for l.next != nil {
		l = l.next
	}
	l.next = next
}

// literalPath returns the path of a pattern that has no parameter in it.
func (p *pattern) literalPath() string {
	var b strings.Builder
	for _, s := range p.segments {
		b.WriteByte('/')
		b.WriteString(s.text)
	}
	if p.slash {
		b.WriteByte('/')
	}
	return b.String()
}

func (s *sprout) add(segs []segment, slash bool, l *leaf) {
	if len(segs) == 0 {
		s.slash = l
		return
	}
	if segs[0].kind == rest {
		s.rest = l
		return
	}
	b := s.branch(segs[0])
	if len(segs) == 1 && !slash {
		b.end = l
		return
	}
	if b.next == nil {
		b.next = new(sprout)
	}
	b.next.add(segs[1:], slash, l)
}

// branch returns the branch of a segment, a new one at the end if there is none: segments come
// in the order of precedence.
func (s *sprout) branch(seg segment) *branch {
	if seg.kind == literal {
		if s.literals == nil {
			s.literals = make(map[string]*branch)
		}
		if s.literals[seg.text] == nil {
			s.literals[seg.text] = new(branch)
		}
		return s.literals[seg.text]
	}
	for _, b := range s.params {
		if compareSegments(b.segment, seg) == 0 {
			return b
		}
	}
	b := &branch{segment: seg}
	s.params = append(s.params, b)
	return b
}

// finish returns the tree for searching.
func (g *grower) finish() tree {
	t := tree{whole: newWholes(g.wholes)}
	t.root = g.node(g.root)
	t.nodes = g.nodes
	return t
}

func (g *grower) node(s *sprout) *node {
	if s == nil {
		return nil
	}
	g.nodes++
	n := &node{slash: s.slash}
	odd := others{rest: s.rest}
	var edges []edge
	for _, text := range slices.Sorted(maps.Keys(s.literals)) {
		b := s.literals[text]
		edges = append(edges, edge{text: text, leaf: b.end, next: g.node(b.next)})
	}
	n.setEdges(edges)
	for _, b := range s.params {
		next := g.node(b.next)
		if b.segment.kind == plain {
			n.plain, n.end, n.next = true, b.end, next
		} else {
			odd.params = append(odd.params, param{segment: b.segment, end: b.end, next: next})
		}
	}
	if odd.params != nil || odd.rest != nil {
		n.odd = &odd
	}
	return n
}
