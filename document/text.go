package document

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// string parses what follows an opening quote and writes it as a BSON string: length, bytes, NUL.
func (p *parser) string(i int) int {
	at := len(p.out)
	p.out = append(p.out, 0, 0, 0, 0)
	if i = p.text(i, false); i < 0 {
		return -1
	}
	p.out = append(p.out, 0)
	binary.LittleEndian.PutUint32(p.out[at:], uint32(len(p.out)-at-4))
	return i
}

// text parses what follows an opening quote, appends the decoded bytes to out and returns the
// index behind the closing quote.
func (p *parser) text(i int, key bool) int {
	for {
		i = p.copyPlain(i)
		if i >= len(p.src) {
			return p.syntax(i, "the text ends inside a string")
		}
		switch c := p.src[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			i = p.escape(i, key)
		case c < ' ':
			return p.syntax(i, "control character "+p.quote(i)+" in a string must be escaped")
		default:
			i = p.copyRunes(i)
		}
		if i < 0 {
			return -1
		}
	}
}

const (
	everyByte = 0x0101010101010101
	highBits  = 0x80 * everyByte
)

// special returns a word whose lowest set bit is the high bit of the first byte of w that cannot
// be copied as it is: a quote, a backslash, a control character, or a byte of a multi-byte rune.
//
// Subtracting 1 from a byte sets its high bit if it was 0, subtracting 0x20 if it was less.
// Borrows disturb only the bytes above one that is found, and the lowest is all that counts.
func special(w uint64) uint64 {
	quote := (w ^ '"'*everyByte) - everyByte
	slash := (w ^ '\\'*everyByte) - everyByte
	control := w - ' '*everyByte
	return (w | quote | slash | control) & highBits
}

// copyPlain copies bytes to out, eight at a time, up to the first special one, and returns its
// index. Eight bytes are stored even when fewer count: the rest is overwritten, or lies behind
// the end of the document.
func (p *parser) copyPlain(i int) int {
	src, n := p.src, len(p.out)
	for len(src)-i >= 8 {
		if cap(p.out)-n < 8 {
			p.out = slices.Grow(p.out[:n], 8)
		}
		out := p.out[:cap(p.out)]
		for len(src)-i >= 8 && len(out)-n >= 8 {
			w := binary.LittleEndian.Uint64(src[i:])
			binary.LittleEndian.PutUint64(out[n:], w)
			if found := special(w); found != 0 {
				k := bits.TrailingZeros64(found) >> 3
				p.out = out[:n+k]
				return i + k
			}
			i, n = i+8, n+8
		}
	}
	p.out = p.out[:n]
	for i < len(src) && !isSpecial(src[i]) {
		p.out = append(p.out, src[i])
		i++
	}
	return i
}

func isSpecial(c byte) bool { return c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf }

// copyRunes copies a run of multi-byte runes. What UTF-8 forbids (overlong forms, surrogates,
// anything past U+10FFFF, stray and missing bytes) is no JSON.
func (p *parser) copyRunes(i int) int {
	first := i
	for i < len(p.src) && p.src[i] >= utf8.RuneSelf {
		_, n := utf8.DecodeRune(p.src[i:])
		if n == 1 {
			return p.syntax(i, "invalid UTF-8: "+p.quote(i))
		}
		i += n
	}
	p.out = append(p.out, p.src[first:i]...)
	return i
}

// escaped is what stands for the byte behind a backslash; 0 where there is no such escape.
var escaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escape decodes the escape at src[i].
func (p *parser) escape(i int, key bool) int {
	if i+1 >= len(p.src) {
		return p.syntax(i+1, "the text ends inside an escape")
	}
	c := p.src[i+1]
	if c == 'u' {
		return p.unicode(i, key)
	}
	if escaped[c] == 0 {
		return p.syntax(i, "no such escape: \\ and "+p.quote(i+1))
	}
	p.out = append(p.out, escaped[c])
	return i + 2
}

// unicode decodes \uXXXX, and \uXXXX\uXXXX where the two are a surrogate pair.
func (p *parser) unicode(i int, key bool) int {
	r, ok := hex4(p.src, i+2)
	if !ok {
		return p.syntax(i, `\u needs four hexadecimal digits`)
	}
	end := i + 6
	if utf16.IsSurrogate(r) {
		low, ok := rune(0), false
		if len(p.src)-end >= 2 && p.src[end] == '\\' && p.src[end+1] == 'u' {
			low, ok = hex4(p.src, end+2)
		}
		pair := utf16.DecodeRune(r, low)
		if !ok || pair == utf8.RuneError {
			return p.unfit(i, "lone surrogate "+string(p.src[i:end])+" is no character")
		}
		r, end = pair, end+6
	}
	if r == 0 && key {
		return p.unfit(i, "a key cannot contain a NUL")
	}
	p.out = utf8.AppendRune(p.out, r)
	return end
}

// hex4 reads four hexadecimal digits at src[i].
func hex4(src []byte, i int) (rune, bool) {
	if len(src)-i < 4 {
		return 0, false
	}
	var r rune
	for _, c := range src[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
