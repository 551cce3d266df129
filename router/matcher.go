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
	c := m.pool.at(ctx)
	if !c.isFor(ctx) {
		c = m.pool.miss(ctx)
	}
	c.RequestCtx = ctx
	defer func() {
		if c != nil {
			c.rescue(recover())
		}
	}()
	method, target := m.methods.number(ctx.Request.Header.Method()), ctx.Request.Header.RequestURI()
	run := m.trees[method].find(c, target) // this and the next line are match, for a call less
	if run == nil {
		run = m.detour(c, method, target)
	}
	if err := run(c); err != nil {
		c.fail(err)
	}
	if c.isClean() {
		c.RequestCtx, c.path, c.route = nil, nil, nil
		raceLeft(c)
	} else {
		m.pool.settle(c)
	}
	c = nil
}

// rescue ends a request whose handler panicked: it is answered with a 500, and the server lives on.
func (c *Ctx) rescue(v any) {
	c.recovered(v)
	c.matcher.pool.settle(c)
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

// match returns the handler of a request, and leaves its route in c. Where there is none, the
// handler is the router's own, and c says in verdict what to answer.
//
// The path is matched as it came. No literal holds a %, a ? or a NUL, and no parameter takes
// a segment that does: so the common request, which has none of them, is never looked
// through for them. Where the search fails the path may have had one; detour takes it apart.
func (m *Matcher) match(c *Ctx, method int, target []byte) Handler {
	if run := m.trees[method].find(c, target); run != nil {
		return run
	}
	return m.detour(c, method, target)
}
