package main

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"
)

// Figure is what a router costs on one set.
type Figure struct {
	Nanos  float64 // per request, the median over the rounds
	Allocs float64 // per pass
	Mark   string  // how the router's answers differ from the right ones, if they do
}

// runner is a pass made ready to be timed.
type runner struct {
	pass     Pass
	requests int
	repeat   int // passes in one sample
	samples  []float64
	allocs   float64
}

// newRunner warms the pass up, counts its allocations and finds how often it fits into a sample.
func newRunner(pass Pass, requests int, sample time.Duration) *runner {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := &runner{pass: pass, requests: requests, repeat: 1}
	r.allocs = allocsPerPass(pass)
	for {
		took := r.fastest(5)
		if took >= sample/4 {
			r.repeat = max(1, int(float64(r.repeat)*float64(sample)/float64(took)))
			return r
		}
		r.repeat *= 2
	}
}

// fastest is the shortest of some samples that are not kept. A single one may be a hundred times too
// long, and the samples after it so short that reading the clock is most of them.
func (r *runner) fastest(samples int) time.Duration {
	shortest := time.Duration(math.MaxInt64)
	for range samples {
		start := now()
		r.passes()
		shortest = min(shortest, now()-start)
	}
	return shortest
}

func (r *runner) passes() {
	for range r.repeat {
		r.pass()
	}
}

// sample times as many passes as a sample has, after one that is not timed: the runners before have
// put their own tables into the processor's cache, and to get ours back is no part of a request.
func (r *runner) sample() {
	r.pass()
	start := now()
	r.passes()
	r.samples = append(r.samples, float64(now()-start)/float64(r.repeat*r.requests))
}

// allocsPerPass is the mean over ten passes. A collection just before empties no pool in mid-count.
func allocsPerPass(pass Pass) float64 {
	const passes = 10
	var before, after runtime.MemStats
	runtime.GC()
	pass()
	runtime.ReadMemStats(&before)
	for range passes {
		pass()
	}
	runtime.ReadMemStats(&after)
	return float64((after.Mallocs - before.Mallocs) / passes)
}

// race runs all runners interleaved: every round takes one sample of each, in an order shuffled
// anew, so that a slow moment of the machine falls on all of them alike.
func race(runners []*runner, rounds int) {
	runtime.LockOSThread() // the clock may be the thread's
	defer runtime.UnlockOSThread()
	order := slices.Clone(runners)
	for range rounds {
		rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, r := range order {
			r.sample()
		}
	}
}

func (r *runner) figure() Figure { return Figure{Nanos: median(r.samples), Allocs: r.allocs} }

func median(samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	if len(sorted)%2 == 1 {
		return sorted[len(sorted)/2]
	}
	return (sorted[len(sorted)/2-1] + sorted[len(sorted)/2]) / 2
}
