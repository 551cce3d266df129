package router

import "math/bits"

// tree is what a method's routes are compiled to.
type tree struct {
	whole wholes // the paths without a parameter
	root  *node  // the others; nil if there are none
	nodes int    // how many there are
}

// node is a place in a tree: just after a slash of the path.
type node struct {
	slash   *leaf   // the path ends here, in a slash
	edges   []edge  // literals: a hash table, by key
	factor  uint64  // of the hash
	shift   uint8   // of the hash
	single  bool    // there are only edges
	params  []param // affixed and typed parameters, in the order of precedence
	isPlain bool
	plain   param
	rest    *leaf
}

// edge is a literal: the last segment of a path, without a slash, or one or more segments
// with a slash after each.
type edge struct {
	key  uint64 // the first segment, slash included, or its first eight bytes
	text string
	rest string // what of text the key does not hold
	leaf *leaf  // the path ends in text
	next *node  // or goes on
	more *edge  // another of the same hash
}

// param is a parameter, with the text around it.
type param struct {
	segment segment
	end     *leaf // the path ends after the segment
	next    *node // it goes on after a slash
}

// newEdges makes the hash table of a node's literals.
func (n *node) newEdges(edges []edge) {
	if len(edges) == 0 {
		return
	}
	keys := make([]uint64, len(edges))
	for i := range edges {
		edges[i].key, edges[i].rest = keyOf(edges[i].text)
		keys[i] = edges[i].key
	}
	n.shift = shiftFor(len(edges))
	n.factor = bestFactor(keys, n.shift)
	n.edges = make([]edge, 1<<(64-n.shift))
	for i := range edges {
		place := &n.edges[edges[i].key*n.factor>>n.shift]
		if place.text != "" {
			edges[i].more = place.more
			place.more = &edges[i]
			continue
		}
		*place = edges[i]
	}
}

// keyOf returns the key of an edge's text, and the rest of the text.
func keyOf(text string) (key uint64, rest string) {
	mark := zeros(wordAt([]byte(text), 0) ^ slashes)
	n := min(len(text), 8)
	if mark != 0 {
		n = firstOf(mark) + 1
	}
	return wordAt([]byte(text[:n]), 0), text[n:]
}

// shiftFor returns the shift that leaves of a hash the bits to number two to four times n places.
func shiftFor(n int) uint8 { return uint8(64 - bits.Len(uint(2*n-1))) }

// bestFactor returns the factor, of a few that are tried, with the fewest collisions: a
// small table gets none.
func bestFactor(keys []uint64, shift uint8) uint64 {
	best, fewest := uint64(0), len(keys)+1
	factor := uint64(0x9E3779B97F4A7C15)
	taken := make([]bool, 1<<(64-shift))
	for range 64 {
		clear(taken)
		collisions := 0
		for _, k := range keys {
			if h := k * factor >> shift; taken[h] {
				collisions++
			} else {
				taken[h] = true
			}
		}
		if collisions < fewest {
			best, fewest = factor, collisions
		}
		if fewest == 0 {
			break
		}
		factor = (factor*6364136223846793005 + 1442695040888963407) | 1
	}
	return best
}
