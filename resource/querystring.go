package resource

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxPairs bounds the parameters of one query string. The request line is bounded by the
// server; this bounds what a filter of many tiny conditions costs the database.
const maxPairs = 64

// pair is one parameter of a query string, decoded.
type pair struct{ name, value string }

// splitQuery cuts a query string at "&" and decodes "+" and %XX, as forms are encoded. A bad
// escape, invalid UTF-8 and a NUL are errors: what is not understood is not guessed at.
func splitQuery(raw string) ([]pair, error) {
	var pairs []pair
	for raw != "" {
		var part string
		part, raw, _ = strings.Cut(raw, "&")
		if part == "" {
			continue
		}
		if len(pairs) == maxPairs {
			return nil, fmt.Errorf("resource: more than %d query parameters", maxPairs)
		}
		n, v, _ := strings.Cut(part, "=")
		name, err := unescapeQuery(n)
		if err != nil {
			return nil, err
		}
		value, err := unescapeQuery(v)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair{name, value})
	}
	return pairs, nil
}

func unescapeQuery(s string) (string, error) {
	plain := s
	if strings.ContainsAny(s, "%+") {
		b := make([]byte, 0, len(s))
		for i := 0; i < len(s); i++ {
			switch s[i] {
			case '+':
				b = append(b, ' ')
			case '%':
				if i+2 >= len(s) || unhex(s[i+1]) > 15 || unhex(s[i+2]) > 15 {
					return "", fmt.Errorf("resource: bad escape in the query at %s", quote(s[i:]))
				}
				b = append(b, unhex(s[i+1])<<4|unhex(s[i+2]))
				i += 2
			default:
				b = append(b, s[i])
			}
		}
		plain = string(b)
	}
	if !utf8.ValidString(plain) {
		return "", fmt.Errorf("resource: %s in the query is not UTF-8", quote(s))
	}
	if strings.IndexByte(plain, 0) >= 0 {
		return "", fmt.Errorf("resource: a NUL in the query: %s", quote(s))
	}
	return plain, nil
}

// unhex is the value of a hex digit; anything else is over 15.
func unhex(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 0xff
}

// quote shows input in a message, cut at 64 bytes.
func quote(s string) string {
	if len(s) > 64 {
		return fmt.Sprintf("%q…", strings.ToValidUTF8(s[:64], ""))
	}
	return fmt.Sprintf("%q", s)
}
