package router

import (
	"encoding/binary"
	"math/bits"
)

// The matcher reads a path eight bytes at a time, as a number: the first byte in the lowest
// bits, and past the end of the path zeros. A NUL in the path looks like its end, so whoever
// finds one compares with the length.

const (
	ones     = 0x0101010101010101
	highs    = 0x8080808080808080
	slashes  = '/' * ones
	percents = '%' * ones
	queries  = '?' * ones
	dots     = '.' * ones
)

// load returns the eight bytes of p at i, which must be there.
func load(p []byte, i int) uint64 { return binary.LittleEndian.Uint64(p[i:]) }

// wordAt returns the eight bytes of p at i, of which some may lie past the end.
func wordAt(p []byte, i int) uint64 {
	if i+8 <= len(p) {
		return load(p, i)
	}
	return loadEnd(p, i)
}

// loadEnd returns the bytes of p from i on, of which there are fewer than eight, or none.
func loadEnd(p []byte, i int) uint64 {
	if len(p) >= 8 {
		return load(p, len(p)-8) >> (uint(i+8-len(p)) * 8) // all of it where i is the end
	}
	var w uint64
	for k := len(p) - 1; k >= i; k-- {
		w = w<<8 | uint64(p[k])
	}
	return w
}

// zeros has the high bit set of the lowest byte of w that is 0. Bits above that one mean nothing.
func zeros(w uint64) uint64 { return (w - ones) &^ w & highs }

// stops marks, as zeros does, the lowest byte of w where a segment ends: a slash, the end, or
// what no parameter takes (see Matcher.match).
func stops(w uint64) uint64 {
	return zeros(w) | zeros(w^slashes) | zeros(w^percents) | zeros(w^queries)
}

// firstOf returns the number of the byte that zeros or stops has marked.
func firstOf(mark uint64) int { return bits.TrailingZeros64(mark) >> 3 }

// through returns the bits of a word up to and including the byte that is marked, or all
// where none is.
func through(mark uint64) uint64 { return mark ^ (mark - 1) }

// isCommon reports whether a path has neither a query, an escape, a NUL nor a segment that begins with a
// dot: nothing that needs a closer look.
func isCommon(p []byte) bool {
	var odd uint64
	last := uint64('/') // the byte before the word
	i := 0
	for ; i+8 <= len(p); i += 8 {
		w := load(p, i)
		odd |= oddities(w, last)
		last = w >> 56
	}
	// What is past the end is made to look like a letter.
	pad := ^uint64(0) << (uint(len(p)-i) * 8)
	w := loadEnd(p, i)&^pad | pad&(highs>>1)
	return odd|oddities(w, last) == 0
}

// oddities is not 0 if w has a NUL, a percent sign, a question mark or a dot after a slash, of which the
// slash may be the byte before. It may be not 0 without.
func oddities(w, last uint64) uint64 {
	after := zeros(w^slashes)<<8 | zeros(last^'/'|^uint64(0xff))&0x80
	return zeros(w) | zeros(w^percents) | zeros(w^queries) | zeros(w^dots)&after
}
