package document

import (
	"strconv"
	"unicode/utf8"
)

func (p *parser) syntax(off int, msg string) int {
	p.fault = fault{Syntax, off, msg}
	return -1
}

func (p *parser) unfit(off int, msg string) int {
	p.fault = fault{Unfit, off, msg}
	return -1
}

func (p *parser) tooLarge(off int) int {
	p.fault = fault{TooLarge, off, "the document exceeds 16 MiB of BSON"}
	return -1
}

func (p *parser) tooDeep(off int) int {
	return p.unfit(off, "objects and arrays are nested deeper than "+strconv.Itoa(MaxDepth))
}

// quote shows what stands at src[i].
func (p *parser) quote(i int) string { return quoteAt(p.src, i) }

func quoteAt(src []byte, i int) string {
	if i >= len(src) {
		return "the end of the text"
	}
	r, n := utf8.DecodeRune(src[i:])
	if r == utf8.RuneError && n == 1 {
		return "byte 0x" + strconv.FormatUint(uint64(src[i]), 16)
	}
	return strconv.QuoteRune(r)
}

// clip quotes a piece of the text, cut to a length that suits a message.
func clip(text []byte) string {
	const most = 64
	if len(text) > most {
		return strconv.Quote(string(text[:most])) + "…"
	}
	return strconv.Quote(string(text))
}
