package router

import (
	"encoding/binary"
	"math/bits"
)

// wholes finds a path that has no parameter: one look-up, however many segments and
// however many such paths there are.
type wholes struct {
	lengths uint64 // bit n: a path of n bytes is there; bit 63 stands for all that are longer
	factor  uint64
	shift   uint8
	places  []*whole
}

// whole is one path. One of up to 16 bytes is known by its first and last eight and its length.
type whole struct {
	first, last uint64
	text        string
	leaf        *leaf
	more        *whole // another of the same hash
}

func lengthBit(n int) uint64 { return 1 << min(uint(n), 63) }

// mix makes one number of what a path is known by. The hash of it is the high bits of a product, so
// the length goes where the factor spreads it best.
func mix(first, last uint64, n int) uint64 {
	return first ^ bits.RotateLeft64(last, 31) + uint64(n)*ones
}

// ends returns the first and the last eight bytes of a path; they are the same for a
// path of up to eight.
func ends(p []byte) (first, last uint64) {
	if len(p) >= 8 {
		return binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[len(p)-8:])
	}
	first = wordAtEnd(p, 0)
	return first, first
}

func newWholes(texts map[string]*leaf) wholes {
	if len(texts) == 0 {
		return wholes{}
	}
	var w wholes
	var keys []uint64
	for text := range texts {
		first, last := ends([]byte(text))
		keys = append(keys, mix(first, last, len(text)))
		w.lengths |= lengthBit(len(text))
	}
	w.shift = shiftFor(2 * len(texts))
	w.factor = bestFactor(keys, w.shift)
	w.places = make([]*whole, 1<<(64-w.shift))
	for text, l := range texts {
		first, last := ends([]byte(text))
		place := &w.places[mix(first, last, len(text))*w.factor>>w.shift]
		*place = &whole{first: first, last: last, text: text, leaf: l, more: *place}
	}
	return w
}

// find returns the leaf of a path, or nil.
func (w *wholes) find(p []byte) *leaf {
	if w.lengths&lengthBit(len(p)) == 0 {
		return nil
	}
	first, last := ends(p)
	for it := w.places[mix(first, last, len(p))*w.factor>>w.shift]; it != nil; it = it.more {
		if it.first == first && it.last == last && len(it.text) == len(p) &&
			(len(p) <= 16 || it.text[8:len(p)-8] == string(p[8:len(p)-8])) {
			return it.leaf
		}
	}
	return nil
}
