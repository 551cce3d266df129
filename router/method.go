package router

import (
	"math/bits"
	"slices"
	"strings"
)

// methodSet is a set of methods, by their numbers in a table's methods.
type methodSet uint64

// mostMethods is how many different methods a table can have: the bits of a methodSet,
// less HEAD and OPTIONS, which every table may answer without a route.
const mostMethods = 62

func (s methodSet) has(i int) bool { return s>>i&1 != 0 }

// methods numbers the methods of a table. The names are sorted, so a set's methods in the order of
// their numbers are in alphabetical order.
type methods struct {
	names []string
	get   int // -1 where the table has no GET
	head  int
	opts  int
}

// newMethods numbers the routes' methods, and HEAD and OPTIONS.
func newMethods(routes []*Route) methods {
	names := []string{"HEAD", "OPTIONS"}
	for _, r := range routes {
		names = append(names, r.method)
	}
	slices.Sort(names)
	m := methods{names: slices.Compact(names)}
	m.get = slices.Index(m.names, "GET")
	m.head = slices.Index(m.names, "HEAD")
	m.opts = slices.Index(m.names, "OPTIONS")
	return m
}

// allowed completes the set of a path's methods with those that the router answers by
// itself: HEAD where GET is, and OPTIONS.
func (m *methods) allowed(s methodSet) methodSet {
	if m.get >= 0 && s.has(m.get) {
		s |= 1 << m.head
	}
	return s | 1<<m.opts
}

// appendAllow appends the set's names as an Allow header has them (RFC 9110, section 10.2.1).
func (m *methods) appendAllow(dst []byte, s methodSet) []byte {
	for first := true; s != 0; s &= s - 1 {
		if !first {
			dst = append(dst, ", "...)
		}
		first = false
		dst = append(dst, m.names[bits.TrailingZeros64(uint64(s))]...)
	}
	return dst
}

// isMethod reports whether s is a token (RFC 9110, section 5.6.2) without lower-case letters.
func isMethod(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}
