package router

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// node is a place in a compiled tree: just after a slash of the path.
type node struct {
	tails    tails
	literals literals
	params   []param
	rest     *leaf
}

// param is a parameter that is one segment, or a part of one.
type param struct {
	segment segment
	end     *leaf // where the path ends after the segment
	next    *node // where it goes on after a slash
}

// wordAt returns the eight bytes of p at i, the first in the lowest bits. Past the end of p
// they are 0.
func wordAt(p []byte, i int) uint64 {
	if i+8 <= len(p) {
		return binary.LittleEndian.Uint64(p[i:])
	}
	if len(p) >= 8 {
		return binary.LittleEndian.Uint64(p[len(p)-8:]) >> (uint(i+8-len(p)) * 8)
	}
	var w uint64
	for k := len(p) - 1; k >= i; k-- {
		w = w<<8 | uint64(p[k])
	}
	return w
}

const (
	ones     = 0x0101010101010101
	highs    = 0x8080808080808080
	slashes  = '/' * ones
	percents = '%' * ones
	queries  = '?' * ones
)

// zeros has the high bit set of the lowest byte of w that is 0; of the bytes above that one it
// says nothing.
func zeros(w uint64) uint64 { return (w - ones) &^ w & highs }

// slashIn returns the bits of w up to and including its first slash, or all if it has none.
func slashIn(w uint64) uint64 {
	m := zeros(w ^ slashes)
	return m ^ (m - 1)
}

// hash scatters a key over a table of 1<<(64-shift) places.
func hash(w uint64, shift uint8) uint64 {
	return (w ^ w>>29) * 0x9E3779B97F4A7C15 >> (shift & 63)
}

// tails finds what is literal from here to the end of the path: a hash table, open, with
// at most a quarter of its places taken.
type tails struct {
	places []uint32 // 1 + the number of the item, 0: none
	shift  uint8
	items  []tail
}

// tail is one text and its leaf. A text of up to 16 bytes is known by its first and last
// eight and its length.
type tail struct {
	first, last uint64
	text        string
	leaf        *leaf
}

func newTails(texts map[string]*leaf) tails {
	t := tails{}
	t.places, t.shift = newPlaces(len(texts))
	for text, l := range texts {
		p := []byte(text)
		item := tail{first: wordAt(p, 0), text: text, leaf: l}
		item.last = item.first
		if len(p) >= 8 {
			item.last = wordAt(p, len(p)-8)
		}
		t.items = append(t.items, item)
		put(t.places, tailHash(item.first, item.last, len(p), t.shift), len(t.items))
	}
	return t
}

func tailHash(first, last uint64, n int, shift uint8) uint64 {
	return hash(first^bits.RotateLeft64(last, 23)^uint64(n)<<58, shift)
}

// find returns the leaf of p[i:], whose first eight bytes are first, or nil.
func (t *tails) find(p []byte, i int, first uint64) *leaf {
	n, last := len(p)-i, first
	if n >= 8 {
		last = binary.LittleEndian.Uint64(p[len(p)-8:])
	}
	for h := tailHash(first, last, n, t.shift); ; h++ {
		k := t.places[h&uint64(len(t.places)-1)]
		if k == 0 {
			return nil
		}
		item := &t.items[k-1]
		if item.first == first && item.last == last && len(item.text) == n &&
			(n <= 16 || item.text[8:n-8] == string(p[i+8:len(p)-8])) {
			return item.leaf
		}
	}
}

// literals finds the literal with which the rest of the path begins: a hash table like tails,
// by the first segment's first eight bytes.
type literals struct {
	places []uint32
	shift  uint8
	items  []lit
}

// lit is a literal that ends in a slash: a segment, or several.
type lit struct {
	key  uint64 // the first bytes, up to the first slash or the eighth byte
	text string
	next *node
}

func newLiterals(texts map[string]*node) literals {
	t := literals{}
	t.places, t.shift = newPlaces(len(texts))
	for text, n := range texts {
		w := wordAt([]byte(text), 0)
		item := lit{key: w & slashIn(w), text: text, next: n}
		t.items = append(t.items, item)
		put(t.places, hash(item.key, t.shift), len(t.items))
	}
	return t
}

// find returns the literal with which p[i:] begins, whose first eight bytes are w, or nil. No
// two can: they differ in their first segment.
func (t *literals) find(p []byte, i int, w uint64) *lit {
	key := w & slashIn(w)
	for h := hash(key, t.shift); ; h++ {
		k := t.places[h&uint64(len(t.places)-1)]
		if k == 0 {
			return nil
		}
		item := &t.items[k-1]
		if item.key == key && strings.HasPrefix(string(p[i:]), item.text) {
			return item
		}
	}
}

// newPlaces returns the places for n items, and the shift that makes a hash one of them.
func newPlaces(n int) (places []uint32, shift uint8) {
	if n == 0 {
		return nil, 0
	}
	log := bits.Len(uint(4*n - 1))
	return make([]uint32, 1<<log), uint8(64 - log)
}

// put puts the number of an item into the first free place from h on.
func put(places []uint32, h uint64, number int) {
	mask := uint64(len(places) - 1)
	for places[h&mask] != 0 {
		h++
	}
	places[h&mask] = uint32(number)
}
