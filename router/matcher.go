package router

import (
	"log/slog"
	"runtime/debug"
	"slices"

	"github.com/valyala/fasthttp"
)

// Matcher is a compiled table. It never changes: any number of goroutines may use it at
// once, and none of them takes a lock.
type Matcher struct {
	codec    Codec
	log      *slog.Logger
	routes   []*Route // in the order of registration
	methods  methods
	trees    []tree    // by method; the last, of a method that no route has, is empty
	any      tree      // collects the methods of a path
	every    methodSet // that some route has
	slots    int       // the most parameters that a route has
	fallback Handler
	verdicts [badQuery]canned
	pool     pool
}

// Serve answers a request. It is a fasthttp.RequestHandler.
func (m *Matcher) Serve(ctx *fasthttp.RequestCtx) {
	c := m.pool.get(ctx)
	defer c.settle()
	err := error(nil)
	if l := m.match(c, ctx.Request.Header.Method(), ctx.Request.Header.RequestURI()); l != nil {
		err = l.run(c)
	} else {
		err = m.fallback(c)
	}
	if err != nil {
		c.fail(err)
	}
	c.done = true
}

// settle ends a request. A handler that panicked is answered with a 500, and the server lives on.
func (c *Ctx) settle() {
	if !c.done {
		c.recovered(recover())
	}
	c.done = false
	if c.LastTimeoutErrorResponse() == nil {
		c.matcher.pool.put(c)
	} else {
		c.matcher.pool.drop(c)
	}
}

func (c *Ctx) recovered(v any) {
	c.matcher.logger().Error("router: panic in a handler",
		"request_id", c.RequestID(), "method", string(c.Method()), "path", string(c.Request.Header.RequestURI()),
		"panic", v, "stack", string(debug.Stack()))
	c.answer(internalError)
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

// match finds the route of a request. Without one it returns nil, and c says in
// verdict what to answer.
//
// The path is matched as it came. No literal holds a %, a ? or a NUL, and no parameter takes
// a segment that does: so the common request, which has none of them, is never looked
// through for them. Where the search fails the path may have had one; detour takes it apart.
func (m *Matcher) match(c *Ctx, method, target []byte) *leaf {
	i := m.methods.number(method)
	if len(target) > 0 && target[0] == '/' {
		t := &m.trees[i]
		c.path = target
		l := t.whole.find(target)
		if l == nil || !l.direct {
			l = t.beyond(c, l)
		}
		if l != nil {
			c.route = l.route
			return l
		}
	}
	return m.detour(c, i, target)
}
