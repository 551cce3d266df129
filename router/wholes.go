package router

import (
	"maps"
	"math/bits"
	"slices"
)

// wholes finds a path that has no parameter: one look-up, however many segments and
// however many such paths there are.
type wholes struct {
	lengths uint64   // bit n: a path of n bytes is there; bit 63 stands for all that are longer
	mask    uint32   // of the hash
	places  []whole  // a hash table; what finds its place taken lies in the next that was free
	texts   []string // by place
}

// whole is one path. It has the size of one line of the processor's cache, and what a request for
// the path needs lies in it.
type whole struct {
	words words
	size  uint64  // of the text; 0 in an empty place
	run   Handler // nil unless words, size and leaf.direct say that the leaf answers
	route *Route
	leaf  *leaf // seldom read, and last for the reason that a node's rare is
}

// words are the first two and the last two words of a text. They may overlap: texts of 8 to 32
// bytes are told apart by them and the size.
type words struct{ a, b, c, d uint64 }

const wordsHold = 32

// wordsOf returns the words of a text of eight bytes at least, of which the last begins at last.
func wordsOf(p []byte, last int) words {
	second := min(8, last)
	return words{load(p, 0), load(p, second), load(p, last-second), load(p, last)}
}

// anyWordsOf returns the words of any text: of one that has fewer than eight bytes, these.
func anyWordsOf(p []byte) words {
	if len(p) < 8 {
		return words{a: short(p)}
	}
	return wordsOf(p, len(p)-8)
}

// hash makes a number of them. The words that may overlap are turned by no whole number of bytes, so
// that no byte meets itself and is lost.
func (w words) hash() uint32 {
	return hash(w.a^bits.RotateLeft64(w.c, 21), w.b^bits.RotateLeft64(w.d, 21))
}

func lengthBit(n int) uint64 { return 1 << (min(uint(n), 63) & 63) }

func newWholes(leaves map[string]*leaf) wholes {
	if len(leaves) == 0 {
		return wholes{}
	}
	texts := slices.Sorted(maps.Keys(leaves))
	hashes := make([]uint32, len(texts))
	for i, text := range texts {
		hashes[i] = anyWordsOf([]byte(text)).hash()
	}
	w := wholes{mask: bestMask(hashes)}
	size := int(w.mask) + 1 + len(texts) // a path may be pushed out of its place by all others
	w.places, w.texts = make([]whole, size), make([]string, size)
	for i, text := range texts {
		w.lengths |= lengthBit(len(text))
		at := hashes[i] & w.mask
		for w.places[at].size != 0 {
			at++
		}
		l := leaves[text]
		w.texts[at] = text
		w.places[at] = whole{words: anyWordsOf([]byte(text)), size: uint64(len(text)), leaf: l}
		if l.direct && len(text) <= wordsHold {
			w.places[at].run, w.places[at].route = l.run, l.route
		}
	}
	return w
}

// has reports whether a path of a length may be there.
func (w *wholes) has(length int) bool { return w.lengths&lengthBit(length) != 0 }

// lookUp returns the first place with these words, whose hash it is given, and this size, or an
// empty one. It becomes part of its caller. The table is never full: there is an empty place behind
// every path.
func (w *wholes) lookUp(hash uint32, words words, size int) *whole {
	i := hash & w.mask
	for w.places[i].size != 0 && (w.places[i].words != words || w.places[i].size != uint64(size)) {
		i++
	}
	return &w.places[i]
}

// find returns the leaf of any path of a length that is there, or nil.
func (w *wholes) find(p []byte) *leaf {
	i := anyWordsOf(p).hash() & w.mask
	for w.places[i].size != 0 && w.texts[i] != string(p) {
		i++
	}
	return w.places[i].leaf
}
