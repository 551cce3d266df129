package client

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A run is what the connections of one Run share.
type run struct {
	config    Config
	target    target
	templates []template
	schedule  *schedule
	start     time.Time
	connected atomic.Bool // some connection has been opened: the server is, or was, there

	begun    atomic.Int64 // when measuring began, nanoseconds since start; -1 before
	begunCPU atomic.Int64
}

// now is the time since the start in nanoseconds, from the monotonic clock.
func (r *run) now() int64 { return int64(time.Since(r.start)) }

// Run sends the requests of the configuration and returns what became of them. The error is
// about the configuration, with a nil Result, or it is ctx's, with the result so far. That
// requests failed is no error of Run: see Result.Failed.
//
// Run returns at the latest Timeout after the last request was due or sent, whatever the
// server does.
func Run(ctx context.Context, c Config) (*Result, error) {
	c, t, err := c.resolve()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	r := &run{config: c, target: t, templates: newTemplates(&c, &t), start: time.Now()}
	r.begun.Store(-1)
	r.schedule = newSchedule(&c, func(now int64) {
		r.begunCPU.Store(int64(cpuTime()))
		r.begun.Store(now)
	})
	result := r.sum(r.drive(ctx))
	if err := ctx.Err(); err != nil {
		return result, fmt.Errorf("client: %w", err)
	}
	return result, nil
}

// drive runs all connections to their end and returns what each has counted.
func (r *run) drive(ctx context.Context) []*connection {
	conns := make([]*connection, r.config.Connections)
	for i := range conns {
		conns[i] = newConnection(r)
	}
	stop := r.watch(conns)
	defer stop()
	var wg sync.WaitGroup
	for i, c := range conns {
		wg.Go(func() {
			if r.config.Rate == 0 && !pause(ctx, r.config.Ramp*time.Duration(i)/time.Duration(len(conns))) {
				return
			}
			c.work(ctx)
		})
	}
	wg.Wait()
	return conns
}

// pause waits for d, and returns false when the context ended first.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// watch reports progress once a second until the returned function is called.
func (r *run) watch(conns []*connection) (stop func()) {
	if r.config.Progress == nil {
		return func() {}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				r.config.Progress(r.progress(conns))
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}

func (r *run) progress(conns []*connection) Progress {
	p := Progress{Elapsed: time.Since(r.start)}
	for _, c := range conns {
		p.Answered += c.live.Load()
	}
	if r.config.Requests > 0 {
		p.Total = r.config.Requests + r.config.Warmup
	}
	return p
}

// sum adds up what the connections have counted.
func (r *run) sum(conns []*connection) *Result {
	t := newTally(&r.config)
	for _, c := range conns {
		t.add(c.tally)
	}
	begun := r.begun.Load()
	cpu := cpuTime() - time.Duration(r.begunCPU.Load())
	if begun < 0 {
		begun, cpu = t.lastAnswer, 0
	}
	res := &Result{
		Requests: r.config.Requests, Sent: t.sent, Answered: t.answered,
		Status: map[int]int64{}, Errors: t.errors, Samples: t.samples,
		Seconds:    time.Duration(max(0, t.lastAnswer-begun)).Seconds(),
		Latency:    latencyOf(t.latency),
		CPUSeconds: cpu.Seconds(),
		BytesRead:  t.read, BytesWritten: t.written, Dials: t.dials,
	}
	if r.config.Duration > 0 {
		res.Requests = t.sent
	}
	for status, n := range t.status {
		if n > 0 {
			res.Status[status] = n
		}
	}
	if t.uncorrected != nil {
		u := latencyOf(t.uncorrected)
		res.Uncorrected = &u
	}
	if res.Answered > 0 && res.Seconds > 0 {
		res.RPS = float64(res.Answered) / res.Seconds
		res.CPUPerRequest = cpu.Seconds() * 1e6 / float64(res.Answered)
	}
	res.Limits = r.limits(res, t)
	return res
}

// limits names what in the client itself, and not in the server, held the figures down.
func (r *run) limits(res *Result, t *tally) []string {
	var limits []string
	cpus := float64(min(runtime.GOMAXPROCS(0), runtime.NumCPU()))
	if busy := res.CPUSeconds / (res.Seconds * cpus); res.Seconds > 0.1 && busy > 0.85 {
		limits = append(limits, fmt.Sprintf("the client used %.0f %% of its %.0f CPUs", busy*100, cpus))
	}
	if share := float64(t.late) / float64(max(1, t.sent)); share > 0.01 {
		limits = append(limits, fmt.Sprintf("%.1f %% of the requests left over 1 ms after they were due though their connection was free", share*100))
	}
	if r.config.Rate > 0 && res.Seconds > 1 && res.RPS < 0.99*r.config.Rate && r.config.Ramp == 0 {
		limits = append(limits, fmt.Sprintf("%.0f of the %.0f requests a second asked for: all %d connections waited for answers", res.RPS, r.config.Rate, r.config.Connections))
	}
	return limits
}
