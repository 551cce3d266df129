package router

import "math/bits"

// tree is what a method's routes are compiled to.
type tree struct {
	whole wholes // the paths without a parameter
	root  *node  // the others; nil if there are none
	nodes int    // how many there are
}

// node is a place in a tree: just after a slash of the path. What a search looks at first comes
// first, to lie in one line of the processor's cache.
type node struct {
	keys    []uint64 // of the literals: a hash table; 0 where there is none
	edges   []edge   // at the places of their keys
	shift   uint8    // of the hash
	chained bool     // two of the keys have one place
	single  bool     // there are only literals
	plain   bool     // there is a plain parameter
	end     *leaf    // the path ends after the plain parameter
	next    *node    // or goes on after its slash
	rest    *leaf    // there is a catch-all
	params  []param  // affixed and typed parameters, in the order of precedence
	slash   *leaf    // the path ends here, in a slash
}

// edge is a literal segment: the last of a path, or one with the slash that follows it. Its key is
// that text's first eight bytes, or all where there are fewer.
type edge struct {
	size int    // of the text
	tail string // what of the text the key does not hold
	leaf *leaf  // the path ends in the text
	next *node  // or goes on
	more *edge  // another in the same place, and
	key  uint64 // its key
}

// param is a parameter, with the text around it.
type param struct {
	segment segment
	end     *leaf // the path ends after the segment
	next    *node // it goes on after a slash
}

// newEdge returns the edge of a last segment, which has a leaf, or of one that goes on.
func newEdge(text string, l *leaf, next *node) edge {
	if l == nil {
		text += "/"
	}
	n := min(len(text), 8)
	return edge{size: len(text), key: keyOf(text[:n]), tail: text[n:], leaf: l, next: next}
}

func keyOf(text string) (key uint64) {
	for i := range len(text) {
		key |= uint64(text[i]) << (8 * i)
	}
	return key
}

// setEdges makes the hash table of a node's literals.
func (n *node) setEdges(edges []edge) {
	if len(edges) == 0 {
		return
	}
	keys := make([]uint64, len(edges))
	for i := range edges {
		keys[i] = edges[i].key
	}
	n.shift = bestShift(keys)
	n.keys = make([]uint64, 1<<(64-n.shift))
	n.edges = make([]edge, len(n.keys))
	for i := range edges {
		h := hash(keys[i], n.shift)
		if n.keys[h] == 0 {
			n.keys[h], n.edges[h] = keys[i], edges[i]
			continue
		}
		edges[i].more = n.edges[h].more
		n.edges[h].more = &edges[i]
		n.chained = true
	}
}

// hash gives a key one of 1<<(64-shift) places.
func hash(key uint64, shift uint8) uint64 {
	return key * 0x9E3779B97F4A7C15 >> (shift & 63)
}

// bestShift returns the shift of a hash table for keys: at least two places a key, and
// twice or four times as many if that spares collisions.
func bestShift(keys []uint64) uint8 {
	least := uint8(64 - bits.Len(uint(2*len(keys)-1)))
	best, fewest := least, len(keys)
	for shift := least; shift > least-3 && fewest > 0; shift-- {
		taken := make(map[uint64]bool, len(keys))
		for _, k := range keys {
			taken[hash(k, shift)] = true
		}
		if collisions := len(keys) - len(taken); collisions < fewest {
			best, fewest = shift, collisions
		}
	}
	return best
}
