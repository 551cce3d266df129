package document

import "unicode/utf8"

// skipText walks over a whole text from src[i] to the end of src, judging only its syntax. It
// returns the end of the text and, if the text is no JSON, the first fault.
func skipText(src []byte, i int) (int, fault) {
	end, f := skipValue(src, skipSpace(src, i))
	if f.kind != 0 {
		return end, f
	}
	if end = skipSpace(src, end); end < len(src) {
		return end, fault{Syntax, end, "unexpected " + quoteAt(src, end) + " after the document"}
	}
	return end, fault{}
}

// skipValue walks over the value at src[i] and returns the index behind it, or the first fault of
// syntax. It is how the rest of a refused document is judged and passed over. It keeps a byte a
// level on the heap instead of recursing, so that no number of brackets is too many.
func skipValue(src []byte, i int) (int, fault) {
	var open []byte // the closing bracket of every level
	for {
		var f fault
		if i, open, f = skipOpening(src, i, open); f.kind != 0 {
			return i, f
		}
		// A value is complete. Close what closes here; a comma leads to the next one.
		for more := false; !more; {
			if len(open) == 0 {
				return i, fault{}
			}
			if i = skipSpace(src, i); i >= len(src) {
				return i, fault{Syntax, i, "the text ends inside an object or array"}
			}
			closing := open[len(open)-1]
			switch src[i] {
			case closing:
				open = open[:len(open)-1]
				i++
			case ',':
				if i, f = skipKey(src, i+1, closing); f.kind != 0 {
					return i, f
				}
				more = true
			default:
				return i, fault{Syntax, i, "expected ',' or '" + string(rune(closing)) + "', found " + quoteAt(src, i)}
			}
		}
	}
}

// skipOpening walks over the brackets that open at src[i] and over the first complete value
// behind them, which may be an empty object or array.
func skipOpening(src []byte, i int, open []byte) (int, []byte, fault) {
	var f fault
	for {
		i = skipSpace(src, i)
		if i >= len(src) || (src[i] != '{' && src[i] != '[') {
			i, f = skipScalar(src, i)
			return i, open, f
		}
		closing := src[i] + 2 // '{' and '}', '[' and ']' are two apart
		i = skipSpace(src, i+1)
		if i < len(src) && src[i] == closing {
			return i + 1, open, fault{}
		}
		open = append(open, closing)
		if i, f = skipKey(src, i, closing); f.kind != 0 {
			return i, open, f
		}
	}
}

// skipKey walks over `"key":` inside an object, and over nothing inside an array.
func skipKey(src []byte, i int, closing byte) (int, fault) {
	if closing != '}' {
		return i, fault{}
	}
	i = skipSpace(src, i)
	if i >= len(src) || src[i] != '"' {
		return i, fault{Syntax, i, "expected a key in double quotes, found " + quoteAt(src, i)}
	}
	i, f := skipString(src, i+1)
	if f.kind != 0 {
		return i, f
	}
	if i = skipSpace(src, i); i >= len(src) || src[i] != ':' {
		return i, fault{Syntax, i, "expected ':' after a key, found " + quoteAt(src, i)}
	}
	return i + 1, fault{}
}

func skipScalar(src []byte, i int) (int, fault) {
	if i < len(src) {
		switch c := src[i]; {
		case c == '"':
			return skipString(src, i+1)
		case c == '-' || '0' <= c && c <= '9':
			n, f := scanNumber(src, i)
			return n.end, f
		}
		for _, word := range [...]string{"true", "false", "null"} {
			if len(src)-i >= len(word) && string(src[i:i+len(word)]) == word {
				return i + len(word), fault{}
			}
		}
	}
	return i, fault{Syntax, i, "expected a value, found " + quoteAt(src, i)}
}

// skipString walks over what follows an opening quote. Lone surrogates are JSON (RFC 8259, 8.2).
func skipString(src []byte, i int) (int, fault) {
	for i < len(src) {
		switch c := src[i]; {
		case c == '"':
			return i + 1, fault{}
		case c < ' ':
			return i, fault{Syntax, i, "control character " + quoteAt(src, i) + " in a string must be escaped"}
		case c >= utf8.RuneSelf:
			_, n := utf8.DecodeRune(src[i:])
			if n == 1 {
				return i, fault{Syntax, i, "invalid UTF-8: " + quoteAt(src, i)}
			}
			i += n
		case c != '\\':
			i++
		case i+1 < len(src) && src[i+1] == 'u':
			if _, ok := hex4(src, i+2); !ok {
				return i, fault{Syntax, i, `\u needs four hexadecimal digits`}
			}
			i += 6
		case i+1 < len(src) && escaped[src[i+1]] != 0:
			i += 2
		default:
			return i, fault{Syntax, i, `no such escape: \ and ` + quoteAt(src, i+1)}
		}
	}
	return i, fault{Syntax, i, "the text ends inside a string"}
}

// skipSpace returns the index of the first byte from src[i] on that is no white space.
func skipSpace(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\n' || src[i] == '\r' || src[i] == '\t') {
		i++
	}
	return i
}
