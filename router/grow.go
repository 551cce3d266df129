package router

// leaf is the end of a path. Routes of one path are a list: those that require more
// query keys come first.
type leaf struct {
	route   *Route
	run     Handler
	query   []queryKey
	next    *leaf     // the next route of this path
	methods methodSet // not 0: the leaf collects these, and accepts nothing
}

// grower builds a tree from leaves that come in the order of precedence.
//
// A tree is made of stations and what lies between them. The root is a station, and so
// is the place after a parameter's slash. All that follows a station and is literal up
// to the end of the path is in the station's tails: one look-up, however many segments. Literals on the
// way to a parameter are a trie of whole segments.
type grower struct {
	root sprout
	last *leaf // the leaf added before, to which a route of the same path is linked
}

// sprout is a node that is being built.
type sprout struct {
	tails    map[string]*leaf
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
	if g.last != nil && comparePaths(&g.last.route.parsed, &l.route.parsed) == 0 {
		g.link(l)
		return
	}
	g.last = l
	g.root.add(l.route.parsed.segments, l.route.parsed.slash, l)
}

// link adds a route to the leaf of its path.
func (g *grower) link(l *leaf) {
	if l.methods != 0 {
		g.last.methods |= l.methods
		return
	}
	end := g.last
	for end.next != nil {
		end = end.next
	}
	end.next = l
}

func (s *sprout) add(segs []segment, slash bool, l *leaf) {
	n := 0
	for n < len(segs) && segs[n].kind == literal {
		n++
	}
	if n == len(segs) {
		s.addTail(segs, slash, l)
		return
	}
	at := s
	for _, seg := range segs[:n] {
		at = at.literal(seg.text + "/")
	}
	if segs[n].kind == rest {
		at.rest = l
		return
	}
	b := at.branch(segs[n])
	if n+1 == len(segs) && !slash {
		b.end = l
		return
	}
	if b.next == nil {
		b.next = new(sprout)
	}
	b.next.add(segs[n+1:], slash, l)
}

func (s *sprout) addTail(segs []segment, slash bool, l *leaf) {
	text := ""
	for i, seg := range segs {
		if i > 0 {
			text += "/"
		}
		text += seg.text
	}
	if slash && text != "" {
		text += "/"
	}
	if s.tails == nil {
		s.tails = make(map[string]*leaf)
	}
	s.tails[text] = l
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

// finish returns the tree for searching, or nil if it has no leaf.
func (g *grower) finish() *node {
	if g.last == nil {
		return nil
	}
	return g.root.finish()
}

func (s *sprout) finish() *node {
	if s == nil {
		return nil
	}
	n := &node{rest: s.rest, tails: newTails(s.tails)}
	texts := make(map[string]*node, len(s.literals))
	for text, child := range s.literals {
		text, child = child.compress(text)
		texts[text] = child.finish()
	}
	n.literals = newLiterals(texts)
	for _, b := range s.params {
		n.params = append(n.params, param{
			segment: b.segment,
			end:     b.end,
			next:    b.next.finish(),
		})
	}
	return n
}

// compress joins a literal with the only one that follows it, again and again: nothing is
// lost where there is nothing else to try between them.
func (s *sprout) compress(text string) (string, *sprout) {
	for len(s.literals) == 1 && len(s.params) == 0 && s.rest == nil {
		for next, child := range s.literals {
			text, s = text+next, child
		}
	}
	return text, s
}
