package client

import (
	"math"
	"sync/atomic"
	"time"
)

// A schedule hands out the numbers of requests. Connections claim from it, so that a slow or
// dead one leaves its share to the others; an atomic counter is all they have in common.
//
// All times are nanoseconds since the run's start.
type schedule struct {
	next   atomic.Int64 // the number to be claimed next; may run past limit
	stopAt atomic.Int64 // no claims from here on

	warmup int64 // numbers below this one are not measured
	limit  int64
	rate   float64 // requests a nanosecond; 0 in closed loop
	ramp   float64
	length int64 // nanoseconds of measuring, 0 without limit

	begin func(now int64) // called once, when the first measured number is claimed
}

func newSchedule(c *Config, begin func(now int64)) *schedule {
	s := &schedule{
		warmup: c.Warmup,
		limit:  math.MaxInt64,
		rate:   c.Rate / float64(time.Second),
		length: int64(c.Duration),
		begin:  begin,
	}
	if c.Requests > 0 && c.Requests < math.MaxInt64-c.Warmup {
		s.limit = c.Requests + c.Warmup
	}
	if c.Rate > 0 {
		s.ramp = float64(c.Ramp)
	}
	s.stopAt.Store(math.MaxInt64)
	return s
}

// claim takes up to want numbers, from first on. It returns n == 0 when the run is over.
func (s *schedule) claim(now int64, want int) (first int64, n int) {
	if s.exhausted(now) {
		return 0, 0
	}
	first = s.next.Add(int64(want)) - int64(want)
	n = int(min(int64(want), max(0, s.limit-first)))
	if first <= s.warmup && s.warmup < first+int64(n) {
		s.measure(now)
	}
	if s.rate > 0 && n > 0 && s.due(first) >= s.stopAt.Load() {
		return 0, 0
	}
	return first, n
}

// measure starts the measured part. Exactly one claim holds the first measured number.
func (s *schedule) measure(now int64) {
	if s.rate > 0 {
		now = s.due(s.warmup)
	}
	if s.length > 0 {
		s.stopAt.Store(now + s.length)
	}
	s.begin(now)
}

// due is when request k leaves in open loop. While the rate grows evenly from 0 to r over the
// ramp R, r·t²/2R requests are due until t; from then on, r a nanosecond.
func (s *schedule) due(k int64) int64 {
	inRamp := s.rate * s.ramp / 2
	if float64(k) < inRamp {
		return int64(math.Sqrt(2 * float64(k) * s.ramp / s.rate))
	}
	return int64(s.ramp + (float64(k)-inRamp)/s.rate)
}

// exhausted reports whether claim has nothing more to give. In open loop, what was due before
// the end is sent even if that is late.
func (s *schedule) exhausted(now int64) bool {
	next := s.next.Load()
	if s.rate > 0 {
		now = s.due(next)
	}
	return next >= s.limit || now >= s.stopAt.Load()
}
