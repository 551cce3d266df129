package router

import (
	"fmt"
	"log/slog"
	"runtime"
)

// Table collects routes until Compile turns them into a Matcher. The order of
// registration never matters. A Table is for one goroutine: it is filled at startup.
//
// Registration never fails and never panics. What is wrong with a route is reported by
// Compile, all faults at once.
type Table struct {
	// Codec reads and writes JSON for Ctx.Bind, Ctx.JSON and problems. nil: json-iterator,
	// set to behave like encoding/json.
	Codec Codec
	// Logger is told of errors that clients are not shown and of panics. nil: slog.Default().
	Logger *slog.Logger

	scope
	uses []Middleware
}

// A registry is what was registered with a table and its groups.
type registry struct {
	routes []*Route
	types  map[string]*paramType
	faults []Fault // of the registration itself
}

// New returns an empty table.
func New() *Table {
	return &Table{}
}

// Use puts middleware around every answer of the table: its routes, whether registered
// before or after, and what the router answers by itself (404, 405, OPTIONS). The first
// is the outermost, and all are outside of groups' and routes' middleware.
func (t *Table) Use(mw ...Middleware) {
	for _, m := range mw {
		if m == nil {
			t.all().fault(caller(2), "Use was given a nil middleware")
			continue
		}
		t.uses = append(t.uses, m)
	}
}

// Type adds a parameter type, to be written as {name:type}. fits is shown a value that is
// decoded and not empty; it runs during the match, on many goroutines at once, and must
// neither keep nor change what it is shown. A pattern may name the type before it is added.
func (t *Table) Type(name string, fits func([]byte) bool) {
	all := t.all()
	switch site := caller(2); {
	case !isName(name):
		all.fault(site, "%q is no name of a type", name)
	case fits == nil:
		all.fault(site, "the type %q has no function", name)
	case all.typeOf(name) != nil:
		all.fault(site, "the type %q exists already", name)
	default:
		all.types[name] = &paramType{name: name, rank: registered, fits: fits}
	}
}

func (r *registry) typeOf(name string) *paramType {
	if p := builtin(name); p != nil {
		return p
	}
	return r.types[name]
}

func (r *registry) fault(site, format string, args ...any) {
	r.faults = append(r.faults, Fault{Reason: fmt.Sprintf(format, args...), Sites: []string{site}})
}

func (r *registry) add(site, method, pattern string, h Handler, chain []Middleware) *Route {
	route := &Route{method: method, pattern: pattern, handler: h, chain: chain, site: site}
	route.parsed, route.err = parsePattern(pattern, r.typeOf)
	r.routes = append(r.routes, route)
	return route
}

// caller returns file:line of the function that called, skip levels up, into this package.
func caller(skip int) string {
	_, file, line, ok := runtime.Caller(skip)
	if !ok {
		return "unknown place"
	}
	return fmt.Sprintf("%s:%d", file, line)
}
