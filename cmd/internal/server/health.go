package server

import (
	"context"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/router"
)

const (
	// probeFresh is how long one look at the store serves all who ask whether it is ready: a
	// load balancer's many probes become one ping a second.
	probeFresh = time.Second
	// probeTimeout bounds one look. A store that takes longer is not ready.
	probeTimeout = 2 * time.Second
)

// probe asks the store whether it answers, at most once in probeFresh.
type probe struct {
	ping func(context.Context) error

	mu    sync.Mutex
	until time.Time
	err   error
}

// check returns nil if the store answers. Who asks while another looks waits for that look.
func (p *probe) check() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Now().Before(p.until) {
		return p.err
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	p.err = p.ping(ctx)
	p.until = time.Now().Add(probeFresh)
	return p.err
}

type health struct {
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
}

// live answers 200: a process that answers at all lives.
func live(c *router.Ctx) error { return c.JSON(fasthttp.StatusOK, health{Status: "live"}) }

// ready answers 200 if the store does, else 503. What is wrong is for the log and the operator:
// a probe's answer may be public.
func (s *Server) ready(c *router.Ctx) error {
	if err := s.probe.check(); err != nil {
		s.log.Warn("server: not ready", "error", err)
		c.Response.Header.Set("Retry-After", "1")
		return router.NewProblem(fasthttp.StatusServiceUnavailable, "the store does not answer")
	}
	return c.JSON(fasthttp.StatusOK, health{Status: "ready"})
}
