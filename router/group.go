package router

import "github.com/valyala/fasthttp"

// Group registers routes under a common prefix, inside common middleware. The prefix
// may hold parameters, and it ends without a slash: the prefix "/api" and the pattern "/users" make
// "/api/users", the pattern "" makes "/api".
type Group struct {
	table  *Table
	prefix string
	chain  []Middleware // outermost first
}

// Group returns a group within the group.
func (g *Group) Group(prefix string, mw ...Middleware) *Group {
	return &Group{table: g.table, prefix: g.prefix + prefix, chain: g.with(mw)}
}

// Handle registers a handler for a method, which is an upper-case token, and a pattern.
func (g *Group) Handle(method, pattern string, h Handler, mw ...Middleware) *Route {
	return g.add(caller(2), method, pattern, h, mw)
}

// Get registers a handler for GET, and for HEAD where no HEAD route of equal precedence is.
func (g *Group) Get(pattern string, h Handler, mw ...Middleware) *Route {
	return g.add(caller(2), fasthttp.MethodGet, pattern, h, mw)
}

// Head registers a handler for HEAD alone.
func (g *Group) Head(pattern string, h Handler, mw ...Middleware) *Route {
	return g.add(caller(2), fasthttp.MethodHead, pattern, h, mw)
}

// Post registers a handler for POST.
func (g *Group) Post(pattern string, h Handler, mw ...Middleware) *Route {
	return g.add(caller(2), fasthttp.MethodPost, pattern, h, mw)
}

// Put registers a handler for PUT.
func (g *Group) Put(pattern string, h Handler, mw ...Middleware) *Route {
	return g.add(caller(2), fasthttp.MethodPut, pattern, h, mw)
}

// Patch registers a handler for PATCH.
func (g *Group) Patch(pattern string, h Handler, mw ...Middleware) *Route {
	return g.add(caller(2), fasthttp.MethodPatch, pattern, h, mw)
}

// Delete registers a handler for DELETE.
func (g *Group) Delete(pattern string, h Handler, mw ...Middleware) *Route {
	return g.add(caller(2), fasthttp.MethodDelete, pattern, h, mw)
}

// Options registers a handler for OPTIONS, instead of the 204 with Allow.
func (g *Group) Options(pattern string, h Handler, mw ...Middleware) *Route {
	return g.add(caller(2), fasthttp.MethodOptions, pattern, h, mw)
}

func (g *Group) add(site, method, pattern string, h Handler, mw []Middleware) *Route {
	return g.table.add(site, method, g.prefix+pattern, h, g.with(mw))
}

// with returns the group's middleware and mw in a slice of its own, so that two
// groups never share an array.
func (g *Group) with(mw []Middleware) []Middleware {
	chain := make([]Middleware, 0, len(g.chain)+len(mw))
	return append(append(chain, g.chain...), mw...)
}
