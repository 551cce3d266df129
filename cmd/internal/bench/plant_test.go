package bench

import (
	"testing"
	"time"
)

// A request of 10 µs burns half a microsecond for 5 %, and what was burnt is not counted as
// what a request costs: else the burn would grow by itself.
func TestPlantBurnsItsShare(t *testing.T) {
	var clock time.Duration
	p := plant{share: 0.05, cpu: func() time.Duration { return clock }}
	clock = time.Second // what starting up took
	for i := range 5 * plantInterval {
		clock += 10 * time.Microsecond
		got := p.request()
		clock += got
		want := 500 * time.Nanosecond
		if i < plantInterval {
			want = 0
		}
		// The first request begins the count when it is done, so 499 are taken for 500.
		if diff := got - want; diff < -2*time.Nanosecond || diff > 2*time.Nanosecond {
			t.Fatalf("request %d burns %v, want %v", i, got, want)
		}
	}
}
