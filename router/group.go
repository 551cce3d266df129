package router

import "github.com/valyala/fasthttp"

// Group registers routes under a common prefix, inside common middleware. The prefix
// may hold parameters, and it ends without a slash: the prefix "/api" and the pattern "/users" make
// "/api/users", the pattern "" makes "/api".
type Group struct {
	scope
}

// A scope is where routes are registered: a group, or a table, whose prefix is empty. It is embedded in
// both, so that they have the same methods.
type scope struct {
	*registry // nil in a table that holds nothing yet
	prefix    string
	chain     []Middleware // outermost first
}

// Group returns a group within, whose patterns begin with prefix and whose routes run inside mw.
func (s *scope) Group(prefix string, mw ...Middleware) *Group {
	return &Group{scope{registry: s.all(), prefix: s.prefix + prefix, chain: s.with(mw)}}
}

// Handle registers a handler for a method, which is an upper-case token, and a pattern.
func (s *scope) Handle(method, pattern string, h Handler, mw ...Middleware) *Route {
	return s.add(caller(2), method, pattern, h, mw)
}

// Get registers a handler for GET, and for HEAD where no HEAD route of equal precedence is.
func (s *scope) Get(pattern string, h Handler, mw ...Middleware) *Route {
	return s.add(caller(2), fasthttp.MethodGet, pattern, h, mw)
}

// Head registers a handler for HEAD alone.
func (s *scope) Head(pattern string, h Handler, mw ...Middleware) *Route {
	return s.add(caller(2), fasthttp.MethodHead, pattern, h, mw)
}

// Post registers a handler for POST.
func (s *scope) Post(pattern string, h Handler, mw ...Middleware) *Route {
	return s.add(caller(2), fasthttp.MethodPost, pattern, h, mw)
}

// Put registers a handler for PUT.
func (s *scope) Put(pattern string, h Handler, mw ...Middleware) *Route {
	return s.add(caller(2), fasthttp.MethodPut, pattern, h, mw)
}

// Patch registers a handler for PATCH.
func (s *scope) Patch(pattern string, h Handler, mw ...Middleware) *Route {
	return s.add(caller(2), fasthttp.MethodPatch, pattern, h, mw)
}

// Delete registers a handler for DELETE.
func (s *scope) Delete(pattern string, h Handler, mw ...Middleware) *Route {
	return s.add(caller(2), fasthttp.MethodDelete, pattern, h, mw)
}

// Options registers a handler for OPTIONS, instead of the 204 with Allow.
func (s *scope) Options(pattern string, h Handler, mw ...Middleware) *Route {
	return s.add(caller(2), fasthttp.MethodOptions, pattern, h, mw)
}

func (s *scope) add(site, method, pattern string, h Handler, mw []Middleware) *Route {
	return s.all().add(site, method, s.prefix+pattern, h, s.with(mw))
}

// all is the registry of the table. The zero Table makes it when it is first asked for; groups get it from
// their table.
func (s *scope) all() *registry {
	if s.registry == nil {
		s.registry = &registry{types: make(map[string]*paramType)}
	}
	return s.registry
}

// with returns the scope's middleware and mw in a slice of its own, so that two groups never
// share an array.
func (s *scope) with(mw []Middleware) []Middleware {
	chain := make([]Middleware, 0, len(s.chain)+len(mw))
	return append(append(chain, s.chain...), mw...)
}
