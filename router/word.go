package router

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// The matcher reads a path eight bytes at a time, as a number: the first byte in the lowest
// bits, and past the end of the path zeros. A NUL in the path looks like its end, so whoever
// finds one compares with the length.

const (
	ones     = 0x0101010101010101
	highs    = 0x8080808080808080
	percents = '%' * ones
	queries  = '?' * ones
	dots     = '.' * ones
)

// load returns the eight bytes of p at i, which must be there. So written, one comparison checks
// it.
func load(p []byte, i int) uint64 { return binary.LittleEndian.Uint64(p[i : i+8 : i+8]) }

// wordAt returns the eight bytes of p at i, of which some or all may lie past the end. Nothing past
// the end is read: near it, the last eight bytes are, and those before i shifted out; where i is
// the end, all are. p has eight bytes at least, and i is its end at most.
func wordAt(p []byte, i int) uint64 {
	if i+8 <= len(p) {
		return load(p, i)
	}
	from := len(p) - 8
	half := uint(i-from) * 4 & 63
	return load(p, from) >> half >> half // in halves: no shift by 64, which Go has to look out for
}

// short returns all bytes of a p that has fewer than eight, or none.
func short(p []byte) uint64 {
	n := len(p)
	switch {
	case n >= 4:
		return uint64(load32(p, 0)) | uint64(load32(p, n-4))<<(uint(n-4)*8)
	case n > 0:
		half := uint(n) / 2
		return uint64(p[0]) | uint64(p[half])<<(half*8) | uint64(p[n-1])<<(uint(n-1)*8)
	}
	return 0
}

func load32(p []byte, i int) uint32 { return binary.LittleEndian.Uint32(p[i:]) }

// zeros has the high bit set of the lowest byte of w that is 0. Bits above that one mean nothing.
func zeros(w uint64) uint64 { return (w - ones) &^ w & highs }

// hints marks, as zeros does, the lowest byte of w where a segment may end: a slash, the end or
// what no parameter takes (see Matcher.match), and, to save a step, some bytes that do not end one:
// ! and $ and control characters.
func hints(w uint64) uint64 {
	const (
		slash    = ('/' ^ '?') * ones // with this bit a slash is a question mark
		percents = '%' * ones         // without these a percent sign is 0, and so is a NUL
	)
	a, b := (w|slash)^queries, w&^percents
	return ((a-ones)&^a | (b-ones)&^b) & highs
}

// firstOf returns the number of the byte that zeros or hints has marked.
func firstOf(mark uint64) int { return bits.TrailingZeros64(mark) >> 3 }

// before returns the bits of a word before the byte that is marked.
func before(mark uint64) uint64 { return (mark ^ (mark - 1)) >> 8 }

// isCommon reports whether a path has neither a query, an escape, a NUL nor a dot segment: nothing
// that needs a closer look. The path begins with a slash.
func isCommon(p []byte) bool {
	if len(p) < 8 {
		return bytes.IndexByte(p, '?') < 0 && bytes.IndexByte(p, '%') < 0 && bytes.IndexByte(p, 0) < 0 && !hasDots(p)
	}
	var odd, dot uint64
	for i := 0; i < len(p); i += 8 {
		w := load(p, min(i, len(p)-8)) // near the end some bytes are looked at twice
		odd |= zeros(w) | zeros(w^percents) | zeros(w^queries)
		dot |= zeros(w ^ dots)
	}
	return odd == 0 && (dot == 0 || !bytes.Contains(p, slashDot) || !hasDots(p))
}

var slashDot = []byte("/.")
