package router

import (
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing that is wrong with a table.
type Fault struct {
	Reason  string   // what is wrong, with the patterns quoted
	Sites   []string // where it was registered, as file:line: of one route, or of both
	Witness string   // of two routes: a request target that both match; "" where none could be found
}

func (f Fault) String() string {
	s := f.Reason + " (" + strings.Join(f.Sites, ", ") + ")"
	if f.Witness != "" {
		s += ": both match " + f.Witness
	}
	return s
}

// Faults is the error of Compile: all that is wrong with the table.
type Faults []Fault

// Error writes one fault a line.
func (f Faults) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "router: %d faults in the table", len(f))
	if len(f) == 1 {
		b.Reset()
		b.WriteString("router: a fault in the table")
	}
	for i := range f {
		b.WriteString("\n\t")
		b.WriteString(f[i].String())
	}
	return b.String()
}

// check finds what is wrong with routes, each by itself and each with each other.
func check(routes []*Route) Faults {
	var faults Faults
	sound := make([]*Route, 0, len(routes))
	for _, r := range routes {
		if reason := r.unsound(); reason != "" {
			faults = append(faults, Fault{Reason: reason, Sites: []string{r.site}})
		} else {
			sound = append(sound, r)
		}
	}
	for i, a := range sound {
		for _, b := range sound[:i] {
			if f, ok := conflict(b, a); ok {
				faults = append(faults, f)
			}
		}
	}
	if n := len(newMethods(sound).names); n > mostMethods+2 {
		faults = append(faults, Fault{Reason: fmt.Sprintf("%d different methods; a table takes %d", n, mostMethods)})
	}
	return faults
}

// unsound says what is wrong with the route by itself, or "".
func (r *Route) unsound() string {
	switch {
	case r.err != nil:
		return strings.TrimPrefix(r.err.Error(), "router: ")
	case !isMethod(r.method):
		return fmt.Sprintf("pattern %q: the method %q is no upper-case token", r.pattern, r.method)
	case r.handler == nil:
		return fmt.Sprintf("%s %q has no handler", r.method, r.pattern)
	case slices.ContainsFunc(r.chain, func(m Middleware) bool { return m == nil }):
		return fmt.Sprintf("%s %q has a nil middleware", r.method, r.pattern)
	}
	for _, s := range r.parsed.segments {
		if s.typ != nil && s.typ.fits == nil {
			return fmt.Sprintf("pattern %q: unknown type %q", r.pattern, s.typ.name)
		}
	}
	for _, q := range r.parsed.query {
		if q.typ != nil && q.typ.fits == nil {
			return fmt.Sprintf("pattern %q: unknown type %q", r.pattern, q.typ.name)
		}
		if q.typ != nil && !q.required && !q.takes(q.fallback) {
			return fmt.Sprintf("pattern %q: the default %q is no %s", r.pattern, q.fallback, q.typ.name)
		}
	}
	return ""
}

// conflict compares two routes. Segment by segment from the left, the first that differs
// decides which is tried first; where it does not decide and some path fits both, or where nothing
// differs at all, the two can't stand in one table.
func conflict(a, b *Route) (Fault, bool) {
	sameMethod := a.method == b.method
	if !sameMethod && !(a.method == "GET" && b.method == "HEAD" || a.method == "HEAD" && b.method == "GET") {
		return Fault{}, false
	}
	reason := ""
	switch relatePaths(&a.parsed, &b.parsed) {
	case unordered:
		reason = "neither %s %q nor %s %q wins where both fit"
	case same:
		if !sameMethod {
			return Fault{}, false // HEAD's route comes first
		}
		switch relateQueries(&a.parsed, &b.parsed) {
		case same:
			reason = "%s %q and %s %q are duplicates"
		case unordered:
			reason = "%s %q and %s %q differ in required query keys, and neither's contain the other's"
		default:
			return Fault{}, false
		}
	default:
		return Fault{}, false
	}
	path, known := witness(&a.parsed, &b.parsed)
	if !known && path == "" {
		return Fault{}, false
	}
	if !known {
		path = ""
	}
	return Fault{
		Reason:  fmt.Sprintf(reason, a.method, a.pattern, b.method, b.pattern),
		Sites:   []string{a.site, b.site},
		Witness: path,
	}, true
}

// relatePaths compares two patterns by the first segment that decides.
func relatePaths(a, b *pattern) relation {
	for i := range min(len(a.segments), len(b.segments)) {
		if r := relate(a.segments[i], b.segments[i]); r != same {
			return r
		}
	}
	if len(a.segments) != len(b.segments) || a.slash != b.slash {
		return disjoint
	}
	return same
}

// relateQueries compares two routes of one path by the keys that they require.
func relateQueries(a, b *pattern) relation {
	inB, inA := requires(b, a), requires(a, b)
	switch {
	case inA && inB:
		return same
	case inA:
		return wins
	case inB:
		return loses
	}
	return unordered
}

// requires reports whether a requires every key that b requires.
func requires(a, b *pattern) bool {
	for _, q := range b.query {
		has := func(k queryKey) bool { return k.required && k.key == q.key }
		if q.required && !slices.ContainsFunc(a.query, has) {
			return false
		}
	}
	return true
}
