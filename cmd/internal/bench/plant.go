package bench

import (
	"math"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// Counting each request, or asking the clock at each, would cost as much as a small slowdown: all
// processors would write to one place, and the kernel asks each of them for its share.
const (
	plantStep     = 64                // requests of a connection that are counted at once
	plantInterval = 64 * plantStep    // requests between two looks at the clock
	plantFirst    = plantInterval / 4 // the first look comes sooner
)

// Plant makes a server slower on purpose, so that it can be seen whether a slowdown of that
// size is found: each request burns a percentage of the CPU time that a request costs this
// process, reading, writing and collecting garbage included. The first thousand requests burn
// nothing, since nothing is known yet. It works on Linux only.
func Plant(next fasthttp.RequestHandler, percent float64) fasthttp.RequestHandler {
	cpu := func() time.Duration {
		d, _ := cpuTime(os.Getpid()) // our own clock is there
		return d
	}
	p := &plant{share: percent / 100, cpu: cpu, begun: cpu()}
	spinner := newSpinner()
	return func(ctx *fasthttp.RequestCtx) {
		next(ctx)
		spinner.burn(p.request(ctx.ConnRequestNum()))
	}
}

// A plant knows how much to burn.
type plant struct {
	share  float64
	cpu    func() time.Duration // of the process
	begun  time.Duration        // what it had used before its first request
	served atomic.Int64
	each   atomic.Int64 // nanoseconds to burn in a request

	mu     sync.Mutex
	looked int64 // served at the last look at the clock
	burnt  int64 // nanoseconds until then
}

// request returns what the nth request of a connection is to burn.
func (p *plant) request(n uint64) time.Duration {
	if n%plantStep == 0 {
		if served := p.served.Add(plantStep); served == plantFirst || served%plantInterval == 0 {
			p.look(served)
		}
	}
	return time.Duration(p.each.Load())
}

// look sets the burn to the share of what a request has cost so far.
func (p *plant) look(served int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.burnt += (served - p.looked) * p.each.Load()
	p.looked = served
	own := float64(int64(p.cpu()-p.begun)-p.burnt) / float64(served)
	p.each.Store(int64(max(own, 0) * p.share))
}

// spinner burns time by steps that it has timed, since to ask the clock how much is burnt takes longer
// than what is to be burnt: 5 % of a small request are 200 ns, and two looks at the clock a hundred.
type spinner struct {
	steps float64 // in a nanosecond
}

// newSpinner times steps. The least of several tries counts: the others were interrupted.
func newSpinner() spinner {
	const steps, tries = 100_000, 20
	least := time.Duration(math.MaxInt64)
	for range tries {
		start := time.Now()
		runtime.KeepAlive(spin(steps))
		least = min(least, time.Since(start))
	}
	return spinner{steps / float64(least)}
}

func (s spinner) burn(d time.Duration) { runtime.KeepAlive(spin(int(float64(d) * s.steps))) }

// spin takes steps of which each needs the one before it.
//
//go:noinline
func spin(steps int) (x uint64) {
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}
