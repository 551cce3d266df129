package batch

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// terms is what a batch costs a store: a fixed time and one for each document. Past a size, documents
// cost twice. The way there and back takes the store no time.
type terms struct {
	trip, fixed, each time.Duration
	spoils            int
	disks             int // batches that it works on side by side
}

func (c terms) busy(n int) time.Duration {
	d := c.fixed + time.Duration(n)*c.each
	if c.spoils > 0 && n > c.spoils {
		d += time.Duration(n-c.spoils) * c.each
	}
	return d
}

// best is the highest rate that a fixed size reaches, with so many batches under way.
func (c terms) best(inflight int) (best float64) {
	for n := 1; n <= 4096; n *= 2 {
		busy := c.busy(n).Seconds()
		batches := min(float64(c.disks)/busy, float64(inflight)/(c.trip.Seconds()+busy))
		best = max(best, float64(n)*batches)
	}
	return best
}

// bed runs a controller against a store, with more to send than the store takes, and without
// goroutines: the controller is a function of answers and times.
type bed struct {
	a       *auto
	rand    *rand.Rand
	now     time.Time
	free    []time.Time // when each disk is free
	flights []flight
	noise   float64 // of a batch: a factor between 1-noise and 1+noise
	weather float64 // the same, as a wave of three seconds that all batches feel
}

type flight struct {
	trial, docs int
	ideal       float64 // seconds that the documents would have taken at the best size
	back        time.Time
}

func newBed(inflight int, seed uint64) *bed {
	cfg := Config{Inflight: inflight, Pending: 100_000, AttemptTimeout: 10 * time.Second}
	return &bed{a: newAuto(&cfg), rand: rand.New(rand.NewPCG(seed, 1)), now: time.Unix(0, 0)}
}

// send begins a batch of the size in force.
func (b *bed) send(c terms) {
	n := b.a.force()
	factor := 1 + b.noise*(2*b.rand.Float64()-1)
	factor *= 1 + b.weather*math.Sin(2*math.Pi*float64(b.now.UnixMilli()%3000)/3000)
	for len(b.free) < c.disks {
		b.free = append(b.free, b.now)
	}
	disk := 0
	for i := range b.free {
		if b.free[i].Before(b.free[disk]) {
			disk = i
		}
	}
	start := b.now.Add(c.trip / 2)
	if b.free[disk].After(start) {
		start = b.free[disk]
	}
	end := start.Add(time.Duration(factor * float64(c.busy(n))))
	b.free[disk] = end
	b.flights = append(b.flights, flight{b.a.trial, n, factor * float64(n) / c.best(b.a.inflight), end.Add(c.trip / 2)})
}

// run goes on for d and returns the part of what the best fixed size stores in the same weather.
func (b *bed) run(c terms, d time.Duration) float64 {
	begun, ideal := b.now, 0.0
	for b.now.Sub(begun) < d {
		for len(b.flights) < b.a.inflight {
			b.send(c)
		}
		first := 0
		for i, f := range b.flights {
			if f.back.Before(b.flights[first].back) {
				first = i
			}
		}
		f := b.flights[first]
		b.flights = append(b.flights[:first], b.flights[first+1:]...)
		b.now = f.back
		b.a.answered(f.trial, f.docs, b.now)
		ideal += f.ideal
	}
	return ideal / b.now.Sub(begun).Seconds()
}

// stores are of many kinds: bound by what a batch costs, or a document; with one disk, or two; where
// large batches are the best, or the worst.
var stores = map[string]terms{
	"sqlite":       {100 * µs, 420 * µs, 110 * µs, 0, 1},
	"quick sqlite": {100 * µs, 420 * µs, 22 * µs, 0, 1},
	"postgresql":   {200 * µs, 2 * ms, 100 * µs, 0, 1},
	"two disks":    {200 * µs, 4 * ms, 150 * µs, 0, 2},
	"spoils":       {200 * µs, 2 * ms, 50 * µs, 300, 1},
	"spoils soon":  {10 * µs, 100 * µs, 50 * µs, 100, 1},
	"slow":         {200 * µs, 20 * ms, 100 * µs, 0, 1},
	"far":          {20 * ms, ms, 100 * µs, 0, 2},
	"flat":         {10 * µs, µs, 50 * µs, 0, 1},
	"fast":         {50 * µs, 50 * µs, 2 * µs, 0, 1},
	"crawl":        {50 * µs, 5 * ms, 500 * µs, 0, 1},
}

const (
	µs = time.Microsecond
	ms = time.Millisecond
)

// Within ten seconds of load auto reaches 0.95 of what the best fixed size does. The store becomes
// slow and then fast again; each time it does so once more. One run may end while something worse is
// tried out.
func TestAutoReachesTheBestSize(t *testing.T) {
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			slow := store
			slow.fixed += 20 * ms
			slow.each *= 2
			const seeds = 10
			var sums [3]float64
			for seed := range uint64(seeds) {
				b := newBed(2, seed)
				b.noise, b.weather = 0.05, 0.02
				for phase, now := range []terms{store, slow, store} {
					b.run(now, 10*time.Second)
					got := b.run(now, 10*time.Second)
					if got < 0.85 {
						t.Errorf("seed %d, phase %d: %.3f of the best: %+v", seed, phase, got, *b.a.stats())
					}
					sums[phase] += got
				}
			}
			for phase, sum := range sums {
				if sum/seeds < 0.95 {
					t.Errorf("phase %d: %.3f of the best", phase, sum/seeds)
				}
			}
		})
	}
}

// In weather that changes what the store does by a half every few seconds, single comparisons go
// wrong; on the whole the size is still right.
func TestAutoInBadWeather(t *testing.T) {
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			const seeds = 20
			sum := 0.0
			for seed := range uint64(seeds) {
				b := newBed(2, seed)
				b.noise, b.weather = 0.3, 0.2
				b.run(store, 10*time.Second)
				sum += b.run(store, 10*time.Second)
			}
			if sum/seeds < 0.9 {
				t.Errorf("%.3f of the best", sum/seeds)
			}
		})
	}
}
