package router

import (
	"net/url"
	"slices"
	"strings"
)

// witness builds a request target that two patterns of one order both match. known is false where
// none was found: then path is "" if there can be none, and "?" if a type that an app
// registered stands in the way, of which nobody can say what it takes.
func witness(a, b *pattern) (path string, known bool) {
	var w strings.Builder
	opaque := false
	n := max(len(a.segments), len(b.segments))
	for i := range n {
		sa, oka := segmentAt(a, i)
		sb, okb := segmentAt(b, i)
		if !oka || !okb {
			return "", false
		}
		text, ok := common(sa, sb)
		if !ok {
			if !isOpaque(sa) && !isOpaque(sb) {
				return "", false
			}
			opaque = true
		}
		w.WriteByte('/')
		w.WriteString(url.PathEscape(text))
	}
	if a.slash != b.slash && !endsOpen(a) && !endsOpen(b) {
		return "", false
	}
	if a.slash || b.slash {
		w.WriteByte('/')
	}
	w.WriteString(witnessQuery(a, b))
	if opaque {
		return "?", false
	}
	return w.String(), true
}

// witnessQuery builds a query with every key that either pattern requires.
func witnessQuery(a, b *pattern) string {
	var w strings.Builder
	for _, p := range []*pattern{a, b} {
		other := a
		if p == a {
			other = b
		}
		for _, q := range p.query {
			i := slices.IndexFunc(other.query, func(o queryKey) bool { return o.key == q.key })
			value := sample(q.typ)
			if i >= 0 {
				value, _ = common(segment{kind: typed, typ: q.typ}, segment{kind: typed, typ: other.query[i].typ})
			}
			if !q.required || i >= 0 && p == b && other.query[i].required {
				continue // not needed, or written with a's
			}
			w.WriteByte("?&"[min(w.Len(), 1)])
			w.WriteString(url.QueryEscape(q.key) + "=" + url.QueryEscape(value))
		}
	}
	return w.String()
}

// segmentAt returns a pattern's i-th segment; a catch-all stands for as many as are asked for.
func segmentAt(p *pattern, i int) (segment, bool) {
	if i < len(p.segments) {
		return p.segments[i], true
	}
	if endsOpen(p) {
		return p.segments[len(p.segments)-1], true
	}
	return segment{}, false
}

func endsOpen(p *pattern) bool {
	return len(p.segments) > 0 && p.segments[len(p.segments)-1].kind == rest
}

func isOpaque(s segment) bool { return s.typ != nil && s.typ.rank == registered }

// matches reports whether a whole segment, decoded, fits s. It is the plain definition of what
// a segment means, for checking; requests are matched by compiled nodes.
func (s segment) matches(text string) bool {
	if s.kind == literal {
		return text == s.text
	}
	if s.kind == rest {
		return s.takes(text)
	}
	return len(text) > len(s.prefix)+len(s.suffix) && strings.HasPrefix(text, s.prefix) &&
		strings.HasSuffix(text, s.suffix) && s.takes(text[len(s.prefix):len(text)-len(s.suffix)])
}

// common finds a text that fits two segments.
//
// A text that fits both begins with the longer prefix and ends with the longer suffix, which
// may overlap. So all lengths are tried up to that of the longest type beside both, and
// what lies between is filled with what the types ask for.
func common(a, b segment) (string, bool) {
	if a.kind == literal || b.kind == literal {
		text := a.text + b.text
		if a.kind == b.kind {
			text = a.text
		}
		return text, a.matches(text) && b.matches(text)
	}
	prefix, suffix := longer(a.prefix, b.prefix), longer(a.suffix, b.suffix)
	const longestType = 36 // a UUID
	for n := max(len(prefix), len(suffix), 1); n <= len(prefix)+len(suffix)+longestType; n++ {
		for _, filler := range []string{sample(a.typ), sample(b.typ), "x", "a", "A", "1", "0"} {
			for _, at := range []int{len(a.prefix), len(b.prefix)} {
				if text := lay(n, prefix, suffix, filler, at); a.matches(text) && b.matches(text) {
					return text, true
				}
			}
		}
	}
	return sample(a.typ), false
}

// lay writes a text of n bytes: filler from position at onwards, over and over, then suffix at the end
// and prefix at the beginning.
func lay(n int, prefix, suffix, filler string, at int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = filler[((i-at)%len(filler)+len(filler))%len(filler)]
	}
	copy(text[n-len(suffix):], suffix)
	copy(text, prefix)
	return string(text)
}

func longer(a, b string) string {
	if len(a) > len(b) {
		return a
	}
	return b
}

// sample returns a value of a type.
func sample(t *paramType) string {
	if t == nil {
		return "x"
	}
	for _, v := range []string{
		"1", "a", "A", "x", "-1", "ab", "abc", "2006-01-02",
		"000000000000000000000000", "00000000-0000-0000-0000-000000000000",
	} {
		if t.fits != nil && t.fits([]byte(v)) {
			return v
		}
	}
	return "x"
}
