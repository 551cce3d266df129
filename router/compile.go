package router

import (
	"log/slog"
	"slices"
)

// Compile turns the table into a Matcher: it parses what names a type that was added
// after the route, checks, orders, and builds a tree per method. The error is a Faults: everything
// that is wrong with the table. The table can be added to and compiled again; a Matcher made before stays as it is.
func (t *Table) Compile() (*Matcher, error) {
	all := t.all()
	routes := all.parse()
	if faults := slices.Concat(all.faults, check(routes)); len(faults) > 0 {
		return nil, Faults(faults)
	}
	order(routes)
	return t.build(routes), nil
}

// parse returns the routes, with the types that are known by now.
func (r *registry) parse() []*Route {
	for _, route := range r.routes {
		if route.err == nil {
			route.parsed, route.err = parsePattern(route.pattern, r.typeOf)
		}
	}
	return slices.Clone(r.routes)
}

// order sorts routes by precedence: with those of one path together, and the most specific first.
func order(routes []*Route) {
	slices.SortStableFunc(routes, compareRoutes)
}

// build makes the matcher of sound, ordered routes.
func (t *Table) build(routes []*Route) *Matcher {
	m := &Matcher{
		codec:   t.Codec,
		log:     t.Logger,
		routes:  slices.Clone(t.all().routes),
		methods: newMethods(routes),
	}
	if m.codec == nil {
		m.codec = defaultCodec()
	}
	m.fallback, m.verdicts = compose(answerItself, t.uses), newVerdicts(m.codec)
	leaves := make([]*leaf, len(routes))
	for i, r := range routes {
		leaves[i] = &leaf{
			route:  r,
			run:    compose(compose(r.handler, r.chain), t.uses),
			query:  r.parsed.query,
			direct: len(r.parsed.query) == 0,
		}
		m.slots = max(m.slots, len(r.parsed.names))
	}
	m.trees = make([]tree, len(m.methods.names)+1)
	for i, name := range m.methods.names {
		m.trees[i] = growMethod(leaves, name)
	}
	m.any = growAny(leaves, &m.methods)
	for _, l := range leaves {
		m.every |= 1 << slices.Index(m.methods.names, l.route.method)
	}
	m.pool.matcher = m
	return m
}

// compose puts middleware around h, the first outermost.
func compose(h Handler, chain []Middleware) Handler {
	for _, mw := range slices.Backward(chain) {
		h = mw(h)
	}
	return h
}

// growMethod builds the tree of the routes that answer a method. GET's answer HEAD too.
func growMethod(leaves []*leaf, method string) tree {
	var g grower
	for _, l := range leaves {
		if l.route.method == method || method == "HEAD" && l.route.method == "GET" {
			copied := *l
			g.add(&copied)
		}
	}
	return g.finish()
}

// growAny builds the tree that tells which methods a path has. None of its leaves accepts a
// request, so a search runs through all that fit and collects their methods.
func growAny(leaves []*leaf, m *methods) tree {
	var g grower
	for _, l := range leaves {
		g.add(&leaf{route: l.route, methods: 1 << slices.Index(m.names, l.route.method)})
	}
	return g.finish()
}

// logger returns the table's logger, or the default of the moment.
func (m *Matcher) logger() *slog.Logger {
	if m.log != nil {
		return m.log
	}
	return slog.Default()
}
