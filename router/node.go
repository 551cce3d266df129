package router

import (
	"math"
	"math/bits"
)

// tree is what a method's routes are compiled to. Its nodes lie in one piece of memory and name
// each other by number: a large table's are read from memory line by line, and the fewer there are
// and the closer they lie, the less is read.
type tree struct {
	whole wholes // the paths without a parameter
	nodes []node // of the others: nowhere, the root and what is below; nil if there are none
	size  int    // how many of them are no empty places
}

// The first two nodes of a tree.
const (
	nowhere = 0 // an empty place: no segment leads there
	root    = 1 // just after the first slash of the path
)

// node is a place in a tree: just after a segment of the path. It has the size of one line of the
// processor's cache, and holds both how it is found and how the search goes on, so that a segment
// costs one line. As the allocator may put eight bytes before all the nodes, what is seldom read
// stands last, where it then is the part that lies in the next line.
type node struct {
	first uint64 // the ends of the literal that leads here: see ends
	last  uint64
	size  uint32  // of the literal; noSize if a parameter leads here, and in an empty place
	more  uint32  // another literal's node for which this one's place was meant; or nowhere
	run   Handler // the path may end here, and nothing but the path is asked for; else nil
	route *Route  // that run belongs to
	kids  uint32  // the first place of the hash table of the literals that may follow
	mask  uint32  // of the hash: the number of places, less one
	param uint32  // the node after a plain parameter; or nowhere
	long  bool    // the ends do not hold all of the literal
	odd   bool    // typed parameters, affixed ones or a catch-all may follow: walk does not know them
	rare  *rare   // never nil but in an empty place
}

// rare is what few searches ask a node for.
type rare struct {
	text   string  // the literal
	leaf   *leaf   // the path ends here
	slash  *leaf   // or in a slash that follows
	params []param // affixed and typed parameters that may follow, in the order of precedence
	rest   *leaf   // a catch-all may follow
}

// param is a parameter with a type or with text around it.
type param struct {
	segment segment
	node    uint32 // after it
}

// noSize is the size of no segment.
const noSize = math.MaxUint32

// nextOf returns the node after a literal that follows n and has these ends and this size, or
// nowhere. It becomes part of walk.
func nextOf(nodes []node, n *node, first, last uint64, size uint32) uint32 {
	i := n.kids + hash(first, last)&n.mask
	for i != nowhere && (nodes[i].first != first || nodes[i].last != last || nodes[i].size != size) {
		i = nodes[i].more
	}
	return i
}

// ends returns the first and the last eight bytes of a text that has as many, of a shorter one all
// its bytes and 0. Up to 16 bytes they and the length tell texts apart.
func ends(p []byte) (first, last uint64) {
	if len(p) < 8 {
		return short(p), 0
	}
	return load(p, 0), load(p, len(p)-8)
}

// endsHold is how long a text may be so that its ends hold all of it.
const endsHold = 16

// hash makes a number of two words, in which each bit depends on all bits of both. The constants
// are arbitrary; without them a word of zero would leave nothing of the other.
func hash(a, b uint64) uint32 {
	high, low := bits.Mul64(a^0x9E3779B97F4A7C15, b^0xD6E8FEB86659FD93)
	return uint32(high ^ low)
}

// bestMask returns the mask of a hash table: at least one place a hash, and up to eight times as
// many if that spares collisions.
func bestMask(hashes []uint32) uint32 {
	least := uint32(1)<<bits.Len(uint(len(hashes)-1)) - 1
	best, fewest := least, len(hashes)
	for mask := least; mask <= 8*least+7 && fewest > 0; mask = 2*mask + 1 {
		taken := make(map[uint32]bool, len(hashes))
		for _, h := range hashes {
			taken[h&mask] = true
		}
		if collisions := len(hashes) - len(taken); collisions < fewest {
			best, fewest = mask, collisions
		}
	}
	return best
}
