package bench

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// plantInterval is how many requests a plant goes by what the ones before them cost.
const plantInterval = 500

// Plant makes a server slower on purpose, so that it can be seen whether a slowdown of that
// size is found: each request burns a percentage of the CPU time that a request costs this
// process, reading, writing and collecting garbage included. The first 500 requests burn nothing,
// since nothing is known yet. It works on Linux only.
func Plant(next fasthttp.RequestHandler, percent float64) fasthttp.RequestHandler {
	p := &plant{share: percent / 100, cpu: func() time.Duration {
		d, _ := cpuTime(os.Getpid()) // our own clock is there
		return d
	}}
	return func(ctx *fasthttp.RequestCtx) {
		next(ctx)
		burn(p.request())
	}
}

// A plant knows how much to burn.
type plant struct {
	share  float64
	cpu    func() time.Duration // of the process
	served atomic.Int64
	each   atomic.Int64 // nanoseconds to burn in a request

	mu   sync.Mutex
	last time.Duration // cpu when the interval began
}

// request counts one and returns what it is to burn. The request that ends an interval sets
// the burn of the next one. Requests under way then may burn by either figure; what that adds
// to the wrong interval is a few of 500.
func (p *plant) request() time.Duration {
	each := p.each.Load()
	switch n := p.served.Add(1); {
	case n == 1:
		p.begin()
	case n%plantInterval == 0:
		spent := p.begin()
		own := float64(spent)/plantInterval - float64(each)
		p.each.Store(int64(max(own, 0) * p.share))
	}
	return time.Duration(each)
}

// begin starts an interval and returns what the last one took.
func (p *plant) begin() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.cpu()
	spent := now - p.last
	p.last = now
	return spent
}

func burn(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
	}
}
