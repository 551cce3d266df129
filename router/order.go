package router

import (
	"cmp"
	"slices"
	"strings"
)

// Relation of two segments where both fit.
type relation uint8

const (
	same      relation = iota // they are written differently at most in the parameter's name
	wins                      // the first is tried before the second
	loses                     // the second is tried before the first
	unordered                 // both may fit, and neither comes first
	disjoint                  // no text fits both
)

// relate says which of two segments comes first, from their texts alone: "wins" does not
// mean that there is a text that fits both.
func relate(a, b segment) relation {
	switch {
	case a.kind != b.kind:
		return byOrder(cmp.Compare(a.kind, b.kind))
	case a.kind == literal:
		if a.text != b.text {
			return disjoint
		}
		return same
	case a.prefix == b.prefix && a.suffix == b.suffix:
		return relateTypes(a.typ, b.typ)
	}
	return relateAffixes(a, b)
}

// relateAffixes compares by the text around the parameter: more of it at one end,
// and no less at the other, wins.
func relateAffixes(a, b segment) relation {
	if !strings.HasPrefix(a.prefix, b.prefix) && !strings.HasPrefix(b.prefix, a.prefix) ||
		!strings.HasSuffix(a.suffix, b.suffix) && !strings.HasSuffix(b.suffix, a.suffix) {
		return disjoint
	}
	before, after := cmp.Compare(len(b.prefix), len(a.prefix)), cmp.Compare(len(b.suffix), len(a.suffix))
	if before*after < 0 {
		return unordered
	}
	return byOrder(before + after)
}

func relateTypes(a, b *paramType) relation {
	switch {
	case a == nil && b == nil:
		return same
	case a == nil:
		return loses
	case b == nil:
		return wins
	case a.name == b.name:
		return same
	case a.rank == registered || b.rank == registered:
		return unordered
	}
	return byOrder(cmp.Compare(a.rank, b.rank))
}

func byOrder(c int) relation {
	switch {
	case c < 0:
		return wins
	case c > 0:
		return loses
	}
	return same
}

// compareSegments is a total order that agrees with relate wherever that decides.
func compareSegments(a, b segment) int {
	if c := cmp.Compare(a.kind, b.kind); c != 0 {
		return c
	}
	if c := cmp.Or(
		cmp.Compare(a.text, b.text),
		cmp.Compare(len(b.prefix), len(a.prefix)),
		cmp.Compare(len(b.suffix), len(a.suffix)),
		cmp.Compare(a.prefix, b.prefix),
		cmp.Compare(a.suffix, b.suffix)); c != 0 {
		return c
	}
	switch {
	case a.typ == nil || b.typ == nil:
		return boolFirst(a.typ != nil, b.typ != nil)
	case a.typ.rank != b.typ.rank:
		return cmp.Compare(a.typ.rank, b.typ.rank)
	}
	return cmp.Compare(a.typ.name, b.typ.name)
}

// boolFirst orders true before false.
func boolFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// comparePaths orders two patterns by their paths, the more specific first.
func comparePaths(a, b *pattern) int {
	if c := slices.CompareFunc(a.segments, b.segments, compareSegments); c != 0 {
		return c
	}
	return boolFirst(a.slash, b.slash)
}

// compareRoutes orders routes for one method. Routes of one path follow each other, those that
// require most first; of two that require as much, HEAD's comes before GET's.
func compareRoutes(a, b *Route) int {
	if c := comparePaths(&a.parsed, &b.parsed); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(b.parsed.required(), a.parsed.required()),
		boolFirst(a.method == "HEAD", b.method == "HEAD"),
		cmp.Compare(a.method, b.method),
		cmp.Compare(a.pattern, b.pattern))
}

// required counts the query keys without which the route does not fit.
func (p *pattern) required() int {
	n := 0
	for i := range p.query {
		if p.query[i].required {
			n++
		}
	}
	return n
}
