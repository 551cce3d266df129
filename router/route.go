package router

import (
	"fmt"
	"net/url"
	"strings"
)

// Handler answers one request. The error that it returns becomes the answer: a *Problem
// as it is, anything else a 500 that shows no internals and is logged. A handler that panics
// is answered with a 500 too. The Ctx is valid until the handler returns.
type Handler func(*Ctx) error

// Middleware wraps a handler in another. It runs once per route, in Compile; what it
// returns runs on each request.
type Middleware func(Handler) Handler

// Route is one entry of a Table. Slot and URL are valid right after registration;
// a Route never changes after Compile and may be used by any number of goroutines.
type Route struct {
	method  string
	pattern string
	handler Handler
	chain   []Middleware // outermost first; the table's own come before these
	site    string       // file:line of the registration
	parsed  pattern
	err     error // why pattern could not be parsed
}

// Method returns the method that the route was registered with.
func (r *Route) Method() string { return r.method }

// Pattern returns the whole pattern, prefixes of its groups and query template included.
func (r *Route) Pattern() string { return r.pattern }

// Site returns where the route was registered, as file:line.
func (r *Route) Site() string { return r.site }

// Names returns the parameters' names in the order of their slots.
func (r *Route) Names() []string {
	names := make([]string, len(r.parsed.names))
	copy(names, r.parsed.names)
	return names
}

// Slot returns the number of the parameter called name, to be used with
// Ctx.ParamBytes, or -1 where the route has no such parameter. Slots are numbered from 0
// in the order of appearance in the pattern, query template included.
func (r *Route) Slot(name string) int {
	for i, n := range r.parsed.names {
		if n == name {
			return i
		}
	}
	return -1
}

// URL builds a path, with a query where the pattern has a query template, from pairs
// of name and value:
//
//	route.URL("survey", "spring", "user", "anna")
//
// Values are escaped. A catch-all's value keeps its slashes. Optional query keys may be left
// out. It is an error to leave out another parameter, to name one that the route does not
// have, and to give a value that the route itself would not match.
func (r *Route) URL(pairs ...string) (string, error) {
	if r.err != nil {
		return "", r.err
	}
	if len(pairs)%2 != 0 {
		return "", fmt.Errorf("router: URL of %q: %d arguments are no pairs of name and value", r.pattern, len(pairs))
	}
	values := make([]string, len(r.parsed.names))
	given := make([]bool, len(values))
	for i := 0; i < len(pairs); i += 2 {
		slot := r.Slot(pairs[i])
		if slot < 0 {
			return "", fmt.Errorf("router: URL of %q: no parameter %q", r.pattern, pairs[i])
		}
		values[slot], given[slot] = pairs[i+1], true
	}
	var b strings.Builder
	if err := r.writePath(&b, values, given); err != nil {
		return "", err
	}
	if err := r.writeQuery(&b, values, given); err != nil {
		return "", err
	}
	return b.String(), nil
}

func (r *Route) writePath(b *strings.Builder, values []string, given []bool) error {
	slot := 0
	for _, seg := range r.parsed.segments {
		b.WriteByte('/')
		if seg.kind == literal {
			b.WriteString(url.PathEscape(seg.text))
			continue
		}
		v := values[slot]
		if !given[slot] {
			return fmt.Errorf("router: URL of %q: no value for %q", r.pattern, r.parsed.names[slot])
		}
		slot++
		if !seg.takes(v) {
			return fmt.Errorf("router: URL of %q: the value %q does not fit %s", r.pattern, v, seg)
		}
		parts := []string{seg.prefix + v + seg.suffix}
		if seg.kind == rest {
			parts = strings.Split(v, "/")
		}
		for i, part := range parts {
			if i > 0 {
				b.WriteByte('/')
			}
			b.WriteString(url.PathEscape(part))
		}
	}
	if r.parsed.slash {
		b.WriteByte('/')
	}
	return nil
}

func (r *Route) writeQuery(b *strings.Builder, values []string, given []bool) error {
	sep := byte('?')
	for i := range r.parsed.query {
		q := &r.parsed.query[i]
		slot := r.parsed.pathSlots + i
		if !given[slot] {
			if !q.required {
				continue
			}
			return fmt.Errorf("router: URL of %q: no value for %q", r.pattern, r.parsed.names[slot])
		}
		if v := values[slot]; !q.takes(v) {
			return fmt.Errorf("router: URL of %q: the value %q does not fit %s", r.pattern, v, q)
		}
		b.WriteByte(sep)
		sep = '&'
		b.WriteString(url.QueryEscape(q.key))
		b.WriteByte('=')
		b.WriteString(url.QueryEscape(values[slot]))
	}
	return nil
}
