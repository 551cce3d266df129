package router

import (
	"bytes"
	"log/slog"
	"math/bits"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/valyala/fasthttp"
)

// Matcher is a compiled table. It never changes: any number of goroutines may use it at
// once, and none of them takes a lock.
type Matcher struct {
	codec    Codec
	log      *slog.Logger
	routes   []*Route // in the order of registration
	methods  methods
	trees    []*node   // by method; nil where no route answers it
	any      *node     // collects the methods of a path
	every    methodSet // that some route has
	slots    int       // the most parameters that a route has
	fallback Handler
	pool     sync.Pool
}

// firstByte returns the number of the lowest byte of which m has the high bit.
func firstByte(m uint64) int { return bits.TrailingZeros64(m) >> 3 }

func (m *Matcher) prepare() {
	m.pool.New = func() any {
		return &Ctx{matcher: m, spans: make([]span, m.slots+1)}
	}
}

// Serve answers a request. It is a fasthttp.RequestHandler.
func (m *Matcher) Serve(ctx *fasthttp.RequestCtx) {
	c := m.pool.Get().(*Ctx)
	c.RequestCtx = ctx
	defer c.settle()
	run := m.fallback
	if l := m.match(c, ctx.Request.Header.Method(), ctx.Request.Header.RequestURI()); l != nil {
		run = l.run
	}
	if err := run(c); err != nil {
		c.fail(err)
	}
}

// settle ends a request. A handler that panicked is answered with a 500, and the server lives on.
func (c *Ctx) settle() {
	if v := recover(); v != nil {
		c.matcher.logger().Error("router: panic in a handler",
			"request_id", c.RequestID(), "method", string(c.Method()), "path", string(c.Request.Header.RequestURI()),
			"panic", v, "stack", string(debug.Stack()))
		c.answer(internalError)
	}
	// After a time-out another goroutine may still be using c: it is left to the collector.
	if c.LastTimeoutErrorResponse() == nil {
		m := c.matcher
		c.reset()
		m.pool.Put(c)
	}
}

// fail makes the answer of an error that a handler has returned.
func (c *Ctx) fail(err error) {
	p := AsProblem(err)
	if p == internalError {
		c.matcher.logger().Error("router: a handler failed",
			"request_id", c.RequestID(), "method", string(c.Method()), "path", string(c.Request.Header.RequestURI()),
			"error", err)
	}
	c.answer(p)
}

// answer writes a problem, unless the request has been answered by a time-out.
func (c *Ctx) answer(p *Problem) {
	if c.LastTimeoutErrorResponse() == nil {
		writeProblem(c.RequestCtx, p, c.matcher.codec)
	}
}

// Routes returns the table, in the order of registration.
func (m *Matcher) Routes() []*Route { return slices.Clone(m.routes) }

// tree returns the tree of a method, or nil.
func (m *Matcher) tree(method []byte) *node {
	for i, name := range m.methods.names {
		if string(method) == name {
			return m.trees[i]
		}
	}
	return nil
}

// match finds the route of a request. Without one it returns nil, and c says in
// verdict what to answer.
//
// The path is matched as it came. No literal holds a %, a ? or a NUL, and no parameter takes
// a segment that does: so the common request, which has none of them, is never looked
// through for them. Where the search fails, the path may have had one, and is taken apart and searched
// again: without its query, then decoded.
func (m *Matcher) match(c *Ctx, method, target []byte) *leaf {
	tree := m.tree(method)
	c.path, c.query, c.escaped, c.verdict, c.missing = target, nil, false, 0, nil
	if len(target) > 0 && target[0] == '/' {
		if l := c.search(tree); l != nil {
			return l
		}
	} else if !c.absolute(target) {
		return m.unroutable(c, method, target)
	} else if l := c.search(tree); l != nil {
		return l
	}
	if i := bytes.IndexByte(c.path, '?'); i >= 0 {
		c.path, c.query = c.path[:i:i], c.path[i+1:]
		if l := c.search(tree); l != nil {
			return l
		}
	}
	if bytes.IndexByte(c.path, '%') >= 0 {
		if !c.decode() {
			c.verdict = badPath
			return nil
		}
		l := c.search(tree)
		c.unfold()
		if l != nil {
			return l
		}
	} else if bytes.IndexByte(c.path, 0) >= 0 || hasDots(c.path) {
		c.verdict = badPath
		return nil
	}
	return m.refuse(c, method)
}

// search runs through a tree from its root.
func (c *Ctx) search(tree *node) *leaf {
	if tree == nil {
		return nil
	}
	c.missing = nil
	l := tree.find(c, 1, 0)
	if l != nil {
		c.route = l.route
	}
	return l
}
