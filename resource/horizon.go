package resource

import (
	"context"
	"sync/atomic"
	"time"
)

// horizon hands out a context that ends in span, give or take: one context for all requests
// of a second, instead of a timer and four allocations for each. It ends at the earliest
// span, at the latest a second after that.
type horizon struct {
	span    time.Duration
	current atomic.Pointer[dawn]
}

type dawn struct {
	ctx  context.Context
	till time.Time // until then it is handed out
}

// context returns the context for a request that begins now. Two goroutines that renew it at
// once each get a good one, and one of them stays.
//
// The cancel function is given up on purpose: the context must outlive whoever made it, and
// its timer releases it at the end.
func (h *horizon) context() context.Context {
	now := time.Now()
	if d := h.current.Load(); d != nil && now.Before(d.till) {
		return d.ctx
	}
	ctx, cancel := context.WithDeadline(context.Background(), now.Add(h.span+time.Second))
	context.AfterFunc(ctx, cancel)
	h.current.Store(&dawn{ctx: ctx, till: now.Add(time.Second)})
	return ctx
}
