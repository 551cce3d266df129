package router

import (
	"fmt"
	"log/slog"
	"runtime"

	"github.com/valyala/fasthttp"
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

	routes []*Route
	uses   []Middleware
	types  map[string]*paramType
	faults []Fault // of the registration itself
}

// New returns an empty table.
func New() *Table {
	return &Table{types: make(map[string]*paramType)}
}

// Use puts middleware around every answer of the table: its routes, whether registered
// before or after, and what the router answers by itself (404, 405, OPTIONS). The first
// is the outermost, and all are outside of groups' and routes' middleware.
func (t *Table) Use(mw ...Middleware) {
	t.uses = append(t.uses, mw...)
}

// Type adds a parameter type, to be written as {name:type}. fits is shown a value that is
// decoded and not empty; it runs during the match, on many goroutines at once, and must
// neither keep nor change what it is shown. A pattern may name the type before it is added.
func (t *Table) Type(name string, fits func([]byte) bool) {
	switch site := caller(2); {
	case !isName(name):
		t.fault(site, "%q is no name of a type", name)
	case fits == nil:
		t.fault(site, "the type %q has no function", name)
	case t.typeOf(name) != nil:
		t.fault(site, "the type %q exists already", name)
	default:
		t.types[name] = &paramType{name: name, rank: registered, fits: fits}
	}
}

func (t *Table) typeOf(name string) *paramType {
	if p := builtin(name); p != nil {
		return p
	}
	return t.types[name]
}

func (t *Table) fault(site, format string, args ...any) {
	t.faults = append(t.faults, Fault{Reason: fmt.Sprintf(format, args...), Sites: []string{site}})
}

// Group returns a group whose patterns begin with prefix and whose routes run inside mw.
func (t *Table) Group(prefix string, mw ...Middleware) *Group {
	return &Group{table: t, prefix: prefix, chain: mw}
}

// Handle registers a handler for a method, which is an upper-case token, and a pattern.
func (t *Table) Handle(method, pattern string, h Handler, mw ...Middleware) *Route {
	return t.add(caller(2), method, pattern, h, mw)
}

// Get registers a handler for GET, and for HEAD where no HEAD route of equal precedence is.
func (t *Table) Get(pattern string, h Handler, mw ...Middleware) *Route {
	return t.add(caller(2), fasthttp.MethodGet, pattern, h, mw)
}

// Head registers a handler for HEAD alone.
func (t *Table) Head(pattern string, h Handler, mw ...Middleware) *Route {
	return t.add(caller(2), fasthttp.MethodHead, pattern, h, mw)
}

// Post registers a handler for POST.
func (t *Table) Post(pattern string, h Handler, mw ...Middleware) *Route {
	return t.add(caller(2), fasthttp.MethodPost, pattern, h, mw)
}

// Put registers a handler for PUT.
func (t *Table) Put(pattern string, h Handler, mw ...Middleware) *Route {
	return t.add(caller(2), fasthttp.MethodPut, pattern, h, mw)
}

// Patch registers a handler for PATCH.
func (t *Table) Patch(pattern string, h Handler, mw ...Middleware) *Route {
	return t.add(caller(2), fasthttp.MethodPatch, pattern, h, mw)
}

// Delete registers a handler for DELETE.
func (t *Table) Delete(pattern string, h Handler, mw ...Middleware) *Route {
	return t.add(caller(2), fasthttp.MethodDelete, pattern, h, mw)
}

// Options registers a handler for OPTIONS, instead of the 204 with Allow.
func (t *Table) Options(pattern string, h Handler, mw ...Middleware) *Route {
	return t.add(caller(2), fasthttp.MethodOptions, pattern, h, mw)
}

func (t *Table) add(site, method, pattern string, h Handler, chain []Middleware) *Route {
	r := &Route{method: method, pattern: pattern, handler: h, chain: chain, site: site}
	r.parsed, r.err = parsePattern(pattern, t.typeOf)
	t.routes = append(t.routes, r)
	return r
}

// caller returns file:line of the function that called, skip levels up, into this package.
func caller(skip int) string {
	_, file, line, ok := runtime.Caller(skip)
	if !ok {
		return "unknown place"
	}
	return fmt.Sprintf("%s:%d", file, line)
}
