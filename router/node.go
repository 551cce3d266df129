package router

import (
	"math"
	"math/bits"
)

// tree is what a method's routes are compiled to.
type tree struct {
	whole wholes // the paths without a parameter
	root  *node  // the others; nil if there are none
	nodes int    // how many there are
}

// node is a place in a tree: just after a slash of the path. It has the size of one line of the
// processor's cache, and so lies in one: a large table's nodes are read from memory, line by line.
type node struct {
	edges []edge  // the literals: a hash table
	shift uint8   // of the hash
	plain bool    // there is a plain parameter
	end   *leaf   // the path ends after the plain parameter
	next  *node   // or goes on after its slash
	slash *leaf   // the path ends here, in a slash
	odd   *others // what walk does not know, so that it does not go here; often nil
}

// others are the ways on that few nodes have.
type others struct {
	params []param // affixed and typed parameters, in the order of precedence
	rest   *leaf   // there is a catch-all
}

// edge is a literal segment, of one line of the cache. An empty place of the table has no text.
type edge struct {
	first uint64 // of the text: see ends
	last  uint64
	size  uint32 // of the text
	long  bool   // the ends do not hold all of it
	leaf  *leaf  // the path ends after the text
	next  *node  // or goes on after a slash
	more  *edge  // another in the same place
	text  string
}

// nowhere is the size of the edge in an empty place, which no segment has.
const nowhere = math.MaxUint32

// literal returns the edge of a segment, or nil.
func (n *node) literal(seg []byte) *edge {
	if len(n.edges) == 0 {
		return nil
	}
	first, last := ends(seg)
	e := &n.edges[hash(first^last, n.shift)]
	for ; e != nil; e = e.more {
		if e.first == first && e.last == last && e.text == string(seg) {
			return e
		}
	}
	return nil
}

// param is a parameter, with the text around it.
type param struct {
	segment segment
	end     *leaf // the path ends after the segment
	next    *node // it goes on after a slash
}

// ends returns the first and the last eight bytes of a text that has as many, of a shorter one all
// its bytes and 0. Up to 16 bytes they and the length tell texts apart.
func ends(p []byte) (first, last uint64) {
	if len(p) < 8 {
		return short(p), 0
	}
	return load(p, 0), load(p, len(p)-8)
}

// setEdges makes the hash table of a node's literals.
func (n *node) setEdges(edges []edge) {
	if len(edges) == 0 {
		return
	}
	keys := make([]uint64, len(edges))
	for i := range edges {
		e := &edges[i]
		e.first, e.last = ends([]byte(e.text))
		e.size, e.long = uint32(len(e.text)), len(e.text) > 16
		keys[i] = e.first ^ e.last
	}
	n.shift = bestShift(keys)
	n.edges = make([]edge, 1<<(64-n.shift))
	for i := range n.edges {
		n.edges[i].size = nowhere
	}
	for i := range edges {
		place := &n.edges[hash(keys[i], n.shift)]
		if place.text == "" {
			*place = edges[i]
			continue
		}
		edges[i].more = place.more
		place.more = &edges[i]
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
