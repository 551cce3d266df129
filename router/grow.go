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
	root   *sprout // of the paths with parameters
	last   *leaf   // the leaf added before, to which a route of the same path is linked
	tree   tree
}

// sprout is a node that is being built.
type sprout struct {
	segment  segment // that leads here
	leaf     *leaf   // the path ends here
	slash    *leaf   // or in a slash that follows
	literals map[string]*sprout
	params   []*sprout // in the order of precedence
	rest     *leaf
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
		g.root = &sprout{segment: segment{kind: plain}} // any that is no literal
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
	switch {
	case len(segs) == 0 && slash:
		s.slash = l
	case len(segs) == 0:
		s.leaf = l
	case segs[0].kind == rest:
		s.rest = l
	default:
		s.after(segs[0]).add(segs[1:], slash, l)
	}
}

// after returns the sprout after a segment, a new one at the end if there is none: segments come
// in the order of precedence.
func (s *sprout) after(seg segment) *sprout {
	if seg.kind == literal {
		if s.literals == nil {
			s.literals = make(map[string]*sprout)
		}
		if s.literals[seg.text] == nil {
			s.literals[seg.text] = &sprout{segment: seg}
		}
		return s.literals[seg.text]
	}
	for _, next := range s.params {
		if compareSegments(next.segment, seg) == 0 {
			return next
		}
	}
	next := &sprout{segment: seg}
	s.params = append(s.params, next)
	return next
}

// finish returns the tree for searching.
func (g *grower) finish() tree {
	g.tree.whole = newWholes(g.wholes)
	if g.root != nil {
		g.places(1) // nowhere
		g.plant(g.root, g.places(1))
	}
	return g.tree
}

// places adds empty places to the tree, and returns the number of the first.
func (g *grower) places(n int) uint32 {
	first := len(g.tree.nodes)
	for range n {
		g.tree.nodes = append(g.tree.nodes, node{size: noSize})
	}
	return uint32(first)
}

// plant makes a node of a sprout, in a place that is there, and after it nodes of what follows. So
// a path's nodes lie close together.
func (g *grower) plant(s *sprout, at uint32) {
	g.tree.size++
	n, seldom := s.node()
	n.more = g.tree.nodes[at].more
	texts := slices.Sorted(maps.Keys(s.literals))
	kids := g.hashTable(&n, texts)
	params := g.places(len(s.params))
	for i, next := range s.params {
		if next.segment.kind == plain {
			n.param = params + uint32(i)
			continue
		}
		n.odd = true
		seldom.params = append(seldom.params, param{next.segment, params + uint32(i)})
	}
	n.rare = &seldom
	g.tree.nodes[at] = n
	for i, text := range texts {
		g.plant(s.literals[text], kids[i])
	}
	for i, next := range s.params {
		g.plant(next, params+uint32(i))
	}
}

// node returns what a sprout says of its node without what follows.
func (s *sprout) node() (n node, seldom rare) {
	n = node{size: noSize, odd: s.rest != nil}
	if s.segment.kind == literal {
		text := []byte(s.segment.text)
		n.first, n.last = ends(text)
		n.size, n.long = uint32(len(text)), len(text) > endsHold
	}
	if s.leaf != nil && s.leaf.direct {
		n.run, n.route = s.leaf.run, s.leaf.route
	}
	return n, rare{text: s.segment.text, leaf: s.leaf, slash: s.slash, rest: s.rest}
}

// hashTable adds places for the literals that follow a node, and returns them. What finds its place
// taken gets one behind the table, to which the place leads.
func (g *grower) hashTable(n *node, texts []string) []uint32 {
	if len(texts) == 0 {
		return nil
	}
	hashes := make([]uint32, len(texts))
	for i, text := range texts {
		hashes[i] = hash(ends([]byte(text)))
	}
	n.mask = bestMask(hashes)
	n.kids = g.places(int(n.mask) + 1)
	at, taken := make([]uint32, len(texts)), make(map[uint32]bool)
	for i, h := range hashes {
		at[i] = n.kids + h&n.mask
		if taken[at[i]] {
			behind := g.places(1)
			g.tree.nodes[behind].more = g.tree.nodes[at[i]].more
			g.tree.nodes[at[i]].more = behind
			at[i] = behind
		}
		taken[at[i]] = true
	}
	return at
}
