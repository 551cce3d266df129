package bench

import (
	"testing"
	"time"
)

// A request of 10 µs burns half a microsecond for 5 %, and what was burnt is not counted as
// what a request costs: else the burn would grow by itself.
func TestPlantBurnsItsShare(t *testing.T) {
	clock := time.Second // what starting up took
	p := plant{share: 0.05, begun: clock, cpu: func() time.Duration { return clock }}
	for i := range uint64(5 * plantInterval) {
		clock += 10 * time.Microsecond
		got := p.request(i + 1)
		clock += got
		want := 500 * time.Nanosecond
		if i+1 < plantFirst {
			want = 0
		}
		// The request that ends an interval has not burnt yet what it is counted with.
		if diff := got - want; diff < -2*time.Nanosecond || diff > 2*time.Nanosecond {
			t.Fatalf("request %d burns %v, want %v", i, got, want)
		}
	}
}

// BenchmarkBurn shows what is burnt beside what was asked for.
func BenchmarkBurn(b *testing.B) {
	s := newSpinner()
	for _, d := range []time.Duration{50, 200, 1000, 10_000} {
		b.Run(d.String(), func(b *testing.B) {
			for b.Loop() {
				s.burn(d)
			}
		})
	}
}
