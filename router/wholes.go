package router

import "math/bits"

// wholes finds a path that has no parameter: one look-up, however many segments and
// however many such paths there are.
type wholes struct {
	lengths uint64 // bit n: a path of n bytes is there; bit 63 stands for all that are longer
	shift   uint8
	places  []*whole
}

// whole is one path. One of up to 16 bytes is known by its first and last eight and its length.
type whole struct {
	first, last uint64
	text        string
	leaf        *leaf
	more        *whole // another in the same place
}

func lengthBit(n int) uint64 { return 1 << min(uint(n), 63) }

// ends returns the first and the last eight bytes of a path; of a shorter one, all its
// bytes twice.
func ends(p []byte) (first, last uint64) {
	if len(p) >= 8 {
		return load(p, 0), load(p, len(p)-8)
	}
	first = loadEnd(p, 0)
	return first, first
}

// mix makes one key of what a path is known by.
func mix(first, last uint64, n int) uint64 {
	return first ^ bits.RotateLeft64(last, 31) + uint64(n)*ones
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
	w.shift = bestShift(keys)
	w.places = make([]*whole, 1<<(64-w.shift))
	for text, l := range texts {
		first, last := ends([]byte(text))
		place := &w.places[hash(mix(first, last, len(text)), w.shift)]
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
	for it := w.places[hash(mix(first, last, len(p)), w.shift)]; it != nil; it = it.more {
		if it.first == first && it.last == last && len(it.text) == len(p) &&
			(len(p) <= 16 || it.text[8:len(p)-8] == string(p[8:len(p)-8])) {
			return it.leaf
		}
	}
	return nil
}
