package resource

import "bytes"

// media is what a Content-Type says a body is.
type media uint8

const (
	mediaOther media = iota
	mediaJSON
	mediaNDJSON
	mediaMergePatch
)

var (
	typeJSON       = []byte("application/json")
	typeNDJSON     = []byte("application/x-ndjson")
	typeNDJSON2    = []byte("application/ndjson")
	typeJSONLines  = []byte("application/jsonl")
	typeMergePatch = []byte("application/merge-patch+json")
	prefixApp      = []byte("application/")
	suffixJSON     = []byte("+json")
	wildcard       = []byte("*/*")
	wildcardApp    = []byte("application/*")
)

// mediaOf reads a Content-Type. Parameters and case do not matter; a type with the suffix
// "+json" is JSON, as RFC 6839 section 3.1 has it.
func mediaOf(contentType []byte) media {
	t, _, _ := bytes.Cut(contentType, []byte{';'})
	t = trimSpace(t)
	switch {
	case bytes.EqualFold(t, typeJSON):
		return mediaJSON
	case bytes.EqualFold(t, typeNDJSON), bytes.EqualFold(t, typeNDJSON2), bytes.EqualFold(t, typeJSONLines):
		return mediaNDJSON
	case bytes.EqualFold(t, typeMergePatch):
		return mediaMergePatch
	case len(t) > len(prefixApp)+len(suffixJSON) && bytes.EqualFold(t[:len(prefixApp)], prefixApp) &&
		bytes.EqualFold(t[len(t)-len(suffixJSON):], suffixJSON):
		return mediaJSON
	}
	return mediaOther
}

// acceptsJSON says whether an Accept header (RFC 9110 section 12.5.1) lets the answer be
// application/json. The most specific range that names it decides; a weight of zero refuses.
// No header, or an empty one, takes anything.
func acceptsJSON(accept []byte) bool {
	if len(trimSpace(accept)) == 0 {
		return true
	}
	best, taken := 0, false
	for len(accept) > 0 {
		var item []byte
		item, accept = cutList(accept, ',')
		typ, params := cutList(item, ';')
		typ = trimSpace(typ)
		rank := 0
		switch {
		case bytes.EqualFold(typ, typeJSON):
			rank = 3
		case bytes.EqualFold(typ, wildcardApp):
			rank = 2
		case bytes.Equal(typ, wildcard):
			rank = 1
		}
		if rank < best || rank == 0 {
			continue
		}
		positive := !zeroWeight(params)
		taken = positive || (rank == best && taken)
		best = rank
	}
	return taken
}

// zeroWeight finds "q=0", "q=0.0", … among the parameters of a media range.
func zeroWeight(params []byte) bool {
	for len(params) > 0 {
		var p []byte
		p, params = cutList(params, ';')
		name, value, ok := bytes.Cut(p, []byte{'='})
		if !ok || !bytes.EqualFold(trimSpace(name), []byte{'q'}) {
			continue
		}
		value = trimSpace(value)
		return len(value) > 0 && len(bytes.Trim(value, "0.")) == 0
	}
	return false
}

// cutList cuts s at the first sep that stands outside a quoted string.
func cutList(s []byte, sep byte) (item, rest []byte) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == sep && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, nil
}

// trimSpace removes the optional whitespace of HTTP (RFC 9110 section 5.6.3) at both ends.
func trimSpace(s []byte) []byte { return bytes.Trim(s, " \t") }
