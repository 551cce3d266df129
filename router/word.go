package router

import (
	"encoding/binary"
	"math/bits"
)

// The search reads the path eight bytes at a time, as a number: the first byte in the
// lowest bits, and past the end of the path zeros. A NUL in the path looks like its end; whoever
// finds one compares with the length.

const (
	ones     = 0x0101010101010101
	highs    = 0x8080808080808080
	slashes  = '/' * ones
	percents = '%' * ones
	queries  = '?' * ones
)

// wordAt returns the eight bytes of p at i.
func wordAt(p []byte, i int) uint64 {
	if i+8 <= len(p) {
		return binary.LittleEndian.Uint64(p[i:])
	}
	return wordAtEnd(p, i)
}

// wordAtEnd is wordAt where fewer than eight bytes are left.
func wordAtEnd(p []byte, i int) uint64 {
	if len(p) >= 8 {
		return binary.LittleEndian.Uint64(p[len(p)-8:]) >> (uint(i+8-len(p)) * 8)
	}
	var w uint64
	for k := len(p) - 1; k >= i; k-- {
		w = w<<8 | uint64(p[k])
	}
	return w
}

// zeros has the high bit set of the lowest byte of w that is 0. Bits above that one
// mean nothing.
func zeros(w uint64) uint64 { return (w - ones) &^ w & highs }

// stops marks, as zeros does, the lowest byte of w where a parameter can't go on: a slash, the
// end, or what sends the path the long way (see Matcher.match).
func stops(w uint64) uint64 {
	return zeros(w) | zeros(w^slashes) | zeros(w^percents) | zeros(w^queries)
}

// firstOf returns the number of the byte that zeros or stops has marked.
func firstOf(mark uint64) int { return bits.TrailingZeros64(mark) >> 3 }

// through returns the bits of a word up to and including the byte that is marked, or all
// where none is.
func through(mark uint64) uint64 { return mark ^ (mark - 1) }
