package router

import (
	"maps"
	"math/bits"
	"slices"
)

// wholes finds a path that has no parameter: one look-up, however many segments and
// however many such paths there are.
type wholes struct {
	lengths uint64 // bit n: a path of n bytes is there; bit 63 stands for all that are longer
	shift   uint8
	places  []whole
}

// whole is one path, of one line of the processor's cache. An empty place has no text.
type whole struct {
	first, middle, last uint64 // see ends
	text                string
	leaf                *leaf
	more                *whole // another in the same place
	_                   uint64
}

func lengthBit(n int) uint64 { return 1 << min(uint(n), 63) }

// ends returns the first and the last eight bytes of a text that has as many, of a shorter one all
// its bytes and 0. Up to 16 bytes they and the length tell texts apart.
func ends(p []byte) (first, last uint64) {
	if len(p) < 8 {
		return short(p), 0
	}
	return load(p, 0), load(p, len(p)-8)
}

// middle returns eight bytes from the middle of a text that has as many. With the ends and the
// length they tell texts of up to 24 bytes apart.
func middle(p []byte) uint64 {
	if len(p) < 8 {
		return 0
	}
	return load(p, (len(p)-8)/2)
}

// mix makes one key of what a path is known by.
func mix(first, middle, last uint64) uint64 {
	return first ^ bits.RotateLeft64(middle, 21) ^ bits.RotateLeft64(last, 42)
}

func newWholes(texts map[string]*leaf) wholes {
	if len(texts) == 0 {
		return wholes{}
	}
	var w wholes
	var keys []uint64
	var all []whole
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		it := whole{text: text, leaf: texts[text], middle: middle([]byte(text))}
		it.first, it.last = ends([]byte(text))
		all, keys = append(all, it), append(keys, mix(it.first, it.middle, it.last))
		w.lengths |= lengthBit(len(text))
	}
	w.shift = bestShift(keys)
	w.places = make([]whole, 1<<(64-w.shift))
	for i := range all {
		place := &w.places[hash(keys[i], w.shift)]
		if place.text == "" {
			*place = all[i]
			continue
		}
		all[i].more = place.more
		place.more = &all[i]
	}
	return w
}

// find returns the leaf of a path, or nil. It is small enough to become part of its caller, which
// spares a call where the length says no.
func (w *wholes) find(p []byte) *leaf {
	if w.lengths&lengthBit(len(p)) == 0 {
		return nil
	}
	return w.lookUp(p)
}

func (w *wholes) lookUp(p []byte) *leaf {
	first, last := ends(p)
	middle := middle(p)
	for it := &w.places[hash(mix(first, middle, last), w.shift)]; it != nil; it = it.more {
		if it.first == first && it.last == last && it.middle == middle && len(it.text) == len(p) &&
			(len(p) <= 24 || it.text == string(p)) {
			return it.leaf
		}
	}
	return nil
}
