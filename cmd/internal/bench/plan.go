package bench

import (
	"slices"
	"time"
)

// A plan says how many requests a run of each scenario sends, and how long that should take. It
// is made once, from the warm-up, before anything is measured: a count that depended on the
// figures would bend them.
type plan struct {
	requests map[string]int64
	seconds  map[string]float64 // of one run
	todo     map[string]int     // runs to come
}

// newPlan gives every scenario the requests asked for, unless all runs together would take
// longer than the budget. Then no scenario may take longer than some limit, the same for all,
// and only those slower than that send fewer. rates are the requests a second of the slowest
// subject, runs those of all subjects together.
func newPlan(rates map[string]float64, requests int64, runs map[string]int, budget time.Duration) *plan {
	p := &plan{requests: map[string]int64{}, seconds: map[string]float64{}, todo: map[string]int{}}
	var long []float64
	for name, rate := range rates {
		long = append(long, float64(runs[name])*float64(requests)/rate)
	}
	limit := timeLimit(long, budget.Seconds())
	for name, rate := range rates {
		n := min(requests, max(1, int64(rate*limit/float64(runs[name]))))
		p.requests[name], p.seconds[name], p.todo[name] = n, float64(n)/rate, runs[name]
	}
	return p
}

// timeLimit returns the limit which, put on each of the times, makes their sum the total. It
// is the longest time if they all fit.
func timeLimit(times []float64, total float64) float64 {
	slices.Sort(times)
	for i, t := range times {
		// All that are shorter fit whole, and the rest share what is left evenly.
		share := total / float64(len(times)-i)
		if t > share {
			return share
		}
		total -= t
	}
	return times[len(times)-1]
}

// left is how long the runs to come should take.
func (p *plan) left() time.Duration {
	seconds := 0.0
	for name, runs := range p.todo {
		seconds += float64(runs) * p.seconds[name]
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second)
}
