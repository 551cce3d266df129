package middleware

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

// TimeoutConfig says how long a handler may take. The zero value is 30 seconds.
type TimeoutConfig struct {
	// After is how long a handler may take before its client is answered without it. Default 30
	// seconds.
	After time.Duration
	// Overrun is how many handlers may go on after their client was answered. While so many do, new
	// requests are refused with 503 at once, so that handlers which never end do not pile up.
	// Default 1,000.
	Overrun int
	// Logger is told of panics and errors of handlers whose client was answered without them. nil:
	// slog.Default().
	Logger *slog.Logger
}

// Timeout answers 503 when the handler takes longer than it may. Go stops no goroutine from
// outside: the handler runs on until it returns, and what it answers then is dropped. A handler
// that looks at Context(c) stops by itself.
//
// The handler runs on a goroutine of its own, which costs a few microseconds. Put Timeout inside of
// the other middleware: what these have set on the answer before (request id, CORS) stands on the
// 503 as well. What they do with the answer afterwards must not touch Ctx.Response while the
// handler may still write to it; the middleware of this package asks
// RequestCtx.LastTimeoutErrorResponse first.
func Timeout(cfg TimeoutConfig) router.Middleware {
	if cfg.After <= 0 {
		cfg.After = 30 * time.Second
	}
	if cfg.Overrun <= 0 {
		cfg.Overrun = 1000
	}
	t := &timeout{cfg: cfg}
	return func(next router.Handler) router.Handler {
		return func(c *router.Ctx) error { return t.serve(c, next) }
	}
}

type timeout struct {
	cfg     TimeoutConfig
	overrun atomic.Int64 // handlers that go on though their client was answered
}

// lateBody is what router writes for a Problem of 503 with this detail. It is written out here
// because the Ctx belongs to the handler by then.
const lateBody = `{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"` + lateDetail + `"}`

const lateDetail = "the answer took too long"

// serve runs next on a goroutine and waits for it, or for the time to be over.
//
// Two sides decide who ends the request, by one swap of run.ended. If the handler's side swaps
// first, its result is in the channel, serve returns it, and all is as if there were no goroutine:
// the channel orders what the handler wrote to c before what comes after. If serve's side swaps
// first, c is the handler's from then on. TimeoutErrorWithResponse makes fasthttp answer from a
// response of its own and drop the context instead of reusing it, and makes the router do the same
// with the Ctx; serve and its callers read nothing any more that a handler writes.
func (t *timeout) serve(c *router.Ctx, next router.Handler) error {
	if t.overrun.Load() >= int64(t.cfg.Overrun) {
		c.Response.Header.Set(fasthttp.HeaderRetryAfter, "1")
		return router.NewProblem(fasthttp.StatusServiceUnavailable, "too many requests take too long")
	}
	ctx, cancel := context.WithTimeout(context.Background(), t.cfg.After)
	defer cancel()
	c.SetUserValue(contextKey{}, ctx)
	late := lateResponse(c)
	// The id is made when it is first asked for; from here on two goroutines may ask.
	run := &run{done: make(chan error, 1), id: c.RequestID()}
	go t.handle(c, next, run)
	select {
	case err := <-run.done:
		return err
	case <-ctx.Done():
	}
	if !run.ended.CompareAndSwap(false, true) {
		return <-run.done // it ended in the same moment
	}
	t.overrun.Add(1)
	c.TimeoutErrorWithResponse(late)
	return nil
}

// run is one call of a handler.
type run struct {
	ended atomic.Bool
	done  chan error
	id    string
}

// handle calls the handler. Its panic would end the process, since the router's recover is on
// another goroutine: it becomes an error.
func (t *timeout) handle(c *router.Ctx, next router.Handler, run *run) {
	err := call(c, next)
	if run.ended.CompareAndSwap(false, true) {
		run.done <- err
		return
	}
	t.overrun.Add(-1)
	if err != nil {
		t.logger().Error("middleware: a handler failed after its client was answered", "request_id", run.id, "error", err)
	}
}

func (t *timeout) logger() *slog.Logger {
	if t.cfg.Logger != nil {
		return t.cfg.Logger
	}
	return slog.Default()
}

func call(c *router.Ctx, next router.Handler) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("middleware: panic in a handler: %v\n%s", v, debug.Stack())
		}
	}()
	return next(c)
}

// lateResponse is the 503, with the headers that stand on the answer now: later they are the
// handler's.
func lateResponse(c *router.Ctx) *fasthttp.Response {
	resp := &fasthttp.Response{}
	c.Response.Header.CopyTo(&resp.Header)
	resp.SetStatusCode(fasthttp.StatusServiceUnavailable)
	resp.Header.SetContentType("application/problem+json")
	resp.SetBodyString(lateBody)
	// fasthttp looks for HEAD in the context that it takes in place of this one, and finds GET
	// there.
	resp.SkipBody = c.IsHead()
	return resp
}

type contextKey struct{}

// Context returns a context that ends when Timeout answers in the handler's place, and when the
// handler has returned. Without Timeout around the handler it is context.Background: a request's
// end cancels nothing by itself.
func Context(c *router.Ctx) context.Context {
	if ctx, ok := c.UserValue(contextKey{}).(context.Context); ok {
		return ctx
	}
	return context.Background()
}
