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
	get   int // len(names) where the table has no GET; so the others
	head  int
	post  int
	put   int
	patch int
	del   int
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
	of := func(name string) int {
		if i := slices.Index(m.names, name); i >= 0 {
			return i
		}
		return len(m.names)
	}
	m.get, m.head, m.post, m.put = of("GET"), of("HEAD"), of("POST"), of("PUT")
	m.patch, m.del, m.opts = of("PATCH"), of("DELETE"), of("OPTIONS")
	return m
}

// number returns the number of a method, or len(names) of one that no route has. The common ones are told apart
// by the compiler's switch, which costs no loop.
func (m *methods) number(method []byte) int {
	switch string(method) {
	case "GET":
		return m.get
	case "POST":
		return m.post
	case "PUT":
		return m.put
	case "DELETE":
		return m.del
	case "PATCH":
		return m.patch
	case "HEAD":
		return m.head
	case "OPTIONS":
		return m.opts
	}
	for i, name := range m.names {
		if string(method) == name {
			return i
		}
	}
	return len(m.names)
}

// allowed completes the set of a path's methods with those that the router answers by
// itself: HEAD where GET is, and OPTIONS.
func (m *methods) allowed(s methodSet) methodSet {
	if s.has(m.get) {
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
