package server

import (
	"sync/atomic"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// statuses is the number of statuses that are counted: 0 to 599.
const statuses = 600

// tally counts answers by status.
type tally [statuses]atomic.Uint64

func (t *tally) add(status int) {
	if status < 0 || status >= statuses {
		status = fasthttp.StatusInternalServerError
	}
	t[status].Add(1)
}

// traffic counts answers: all of them, and those of each route. What no route answered (404, 405,
// what is no HTTP) is the difference.
type traffic struct {
	all    tally
	routes []*routeTraffic // complete when the table is compiled
}

type routeTraffic struct {
	seen  atomic.Pointer[router.Route] // the route, once it was asked for
	tally tally
}

// middleware counts the answers of the route that it is put around.
func (t *traffic) middleware(next router.Handler) router.Handler {
	r := &routeTraffic{}
	t.routes = append(t.routes, r)
	return func(c *router.Ctx) error {
		if r.seen.Load() == nil {
			r.seen.Store(c.Route())
		}
		err := next(c)
		status := c.Response.StatusCode()
		if p := router.AsProblem(err); p != nil {
			status = p.Status
		}
		r.tally.add(status)
		return err
	}
}

// handler counts every answer of h.
func (t *traffic) handler(h fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		h(ctx)
		t.all.add(ctx.Response.StatusCode())
	}
}

// each calls f for every count that is not zero; route and method are "" for what no route answered.
func (t *traffic) each(f func(method, route string, status int, n uint64)) {
	var routed [statuses]uint64
	for _, r := range t.routes {
		route := r.seen.Load()
		if route == nil {
			continue
		}
		for status := range r.tally {
			if n := r.tally[status].Load(); n > 0 {
				routed[status] += n
				f(route.Method(), route.Pattern(), status, n)
			}
		}
	}
	for status := range t.all {
		if n := t.all[status].Load(); n > routed[status] {
			f("", "", status, n-routed[status])
		}
	}
}
