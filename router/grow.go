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
	ends     map[string]*leaf   // by last segment
	literals map[string]*sprout // by segment, slash included
	params   []*branch
	rest     *leaf
}

// branch is a parameter that is being built.
type branch struct {
	segment segment
	end     *leaf   // the path ends after the parameter
	next    *sprout // the path goes on after the parameter's slash
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
	seg, last := segs[0], len(segs) == 1 && !slash
	switch {
	case seg.kind == rest:
		s.rest = l
	case seg.kind == literal && last:
		if s.ends == nil {
			s.ends = make(map[string]*leaf)
		}
		s.ends[seg.text] = l
	case seg.kind == literal:
		s.literal(seg.text+"/").add(segs[1:], slash, l)
	case last:
		s.branch(seg).end = l
	default:
		b := s.branch(seg)
		if b.next == nil {
			b.next = new(sprout)
		}
		b.next.add(segs[1:], slash, l)
	}
}

func (s *sprout) literal(text string) *sprout {
	if s.literals == nil {
		s.literals = make(map[string]*sprout)
	}
	if s.literals[text] == nil {
		s.literals[text] = new(sprout)
	}
	return s.literals[text]
}

// branch returns the branch of a segment, a new one at the end if there is none: segments come
// in the order of precedence.
func (s *sprout) branch(seg segment) *branch {
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
	n := &node{slash: s.slash, rest: s.rest}
	n.newEdges(g.edges(s))
	for _, b := range s.params {
		p := param{segment: b.segment, end: b.end, next: g.node(b.next)}
		if b.segment.kind == plain {
			n.isPlain, n.plain = true, p
		} else {
			n.params = append(n.params, p)
		}
	}
	n.single = len(s.params) == 0 && s.rest == nil
	return n
}

func (g *grower) edges(s *sprout) []edge {
	var edges []edge
	for _, text := range slices.Sorted(maps.Keys(s.ends)) {
		edges = append(edges, edge{text: text, leaf: s.ends[text]})
	}
	for _, text := range slices.Sorted(maps.Keys(s.literals)) {
		joined, child := s.literals[text].join(text)
		edges = append(edges, edge{text: joined, next: g.node(child)})
	}
	return edges
}

// join joins a literal with the only one that follows it, again and again: nothing is
// lost where there is nothing else to try between them.
func (s *sprout) join(text string) (string, *sprout) {
	for len(s.literals) == 1 && len(s.ends) == 0 && len(s.params) == 0 && s.rest == nil && s.slash == nil {
		for next, child := range s.literals {
			text, s = text+next, child
		}
	}
	return text, s
}
