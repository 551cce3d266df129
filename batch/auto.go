package batch

import "time"

// The controller of Config.Size = Auto. It climbs: it holds the size in force against its double or
// its half, and moves where more documents a second get through.
const (
	autoStart = 64    // the first size
	autoMost  = 8_192 // and the largest

	// A window is what is measured at a stretch: so long at least, and so many batches for each one
	// that may be under way.
	autoWindow  = 50 * time.Millisecond
	autoBatches = 4
	// autoWindows is the number of windows for each of two sizes, in turn, before they are compared.
	// Taking turns makes both see the same weather. One is enough of a size that is worse by
	// autoHopeless.
	autoWindows  = 3
	autoHopeless = 0.9

	// A larger size must earn its longer answers; a smaller one need only not be worse. The gap
	// between the two keeps the size from swinging on a plateau.
	autoGain = 1.02
	autoEven = 0.995

	// At rest, neighbours are tried after autoRest, which doubles up to autoRestMost while nothing
	// comes of it; at once when the rate is off by more than autoShift.
	autoRest     = 2 * time.Second
	autoRestMost = 32 * time.Second
	autoShift    = 0.25

	// autoIdle is a pause without anything under way after which a window is void.
	autoIdle = 5 * time.Millisecond
)

// AutoStats is the state of the controller of Config.Size = Auto.
type AutoStats struct {
	Size    int     // the best size known
	Trying  int     // what it is being compared with; 0 at rest
	Rate    float64 // documents a second at Size, when last measured
	Moves   uint64  // changes of Size
	Rounds  uint64  // comparisons
	Binding bool    // most batches were full when last measured: without that, Size doesn't matter
}

// auto is the controller. It is a function of the answers it is told of, and of the time of each;
// the buffer's lock guards it.
type auto struct {
	most     int
	inflight int

	size   int
	other  int    // compared with size; 0 at rest
	turn   int    // whose window it is: 0 size's, 1 other's
	arms   [2]arm // what was measured of either
	moved  bool   // in this climb
	turned bool   // the other direction was tried in this climb

	window  window
	rate    float64 // of size, at rest
	shifted int     // windows in a row that were far off rate
	rest    time.Duration
	next    time.Time // when neighbours are tried again
	idle    time.Time // since when nothing is under way; zero while something is

	binding       bool
	moves, rounds uint64
}

// arm is what was measured of one size.
type arm struct {
	windows, docs int
	took          time.Duration
}

func (a arm) rate() float64 { return float64(a.docs) / a.took.Seconds() }

// window is a measurement under way. Its first answers are those of batches that were sent before
// it began, and are skipped.
type window struct {
	skip, batches, full, docs int
	begun                     time.Time
}

func newAuto(cfg *Config) *auto {
	a := &auto{inflight: cfg.Inflight, rest: autoRest}
	for a.most = 1; 2*a.most <= min(autoMost, cfg.Pending/(cfg.Inflight+1)); a.most *= 2 {
	}
	a.size = min(autoStart, a.most)
	a.restart()
	return a
}

// force returns the size in force.
func (a *auto) force() int {
	if a.turn == 1 {
		return a.other
	}
	return a.size
}

// restart begins a new window.
func (a *auto) restart() { a.window = window{skip: 2 * a.inflight} }

// paused notes that nothing is under way any more, resumed that something is again.
func (a *auto) paused(now time.Time) { a.idle = now }

func (a *auto) resumed(now time.Time) {
	if !a.idle.IsZero() && now.Sub(a.idle) > autoIdle {
		a.restart()
	}
	a.idle = time.Time{}
}

// answered notes that the server answered a batch of so many documents.
func (a *auto) answered(docs int, now time.Time) {
	w := &a.window
	if w.skip > 0 {
		if w.skip--; w.skip == 0 {
			w.begun = now
		}
		return
	}
	w.batches++
	w.docs += docs
	if docs >= a.force() {
		w.full++
	}
	took := now.Sub(w.begun)
	if w.batches < autoBatches*a.inflight || took < autoWindow {
		return
	}
	measured, binding := arm{1, w.docs, took}, 4*w.full >= 3*w.batches
	a.restart()
	if a.other == 0 {
		a.resting(measured, binding, now)
	} else {
		a.comparing(measured, binding, now)
	}
}

// resting decides after a window at rest whether to try the neighbours. Where batches aren't full,
// there is less to send than the size allows, and every larger size is the same.
func (a *auto) resting(m arm, binding bool, now time.Time) {
	a.binding = binding
	if !binding {
		return
	}
	rate := m.rate()
	if a.rate > 0 && (rate < a.rate*(1-autoShift) || rate > a.rate*(1+autoShift)) {
		a.shifted++
	} else {
		a.shifted = 0
	}
	if now.Before(a.next) && a.shifted < 2 {
		return
	}
	if a.shifted >= 2 {
		a.rest = autoRest
	}
	a.moved, a.turned = false, false
	if !a.try(2*a.size) && !a.try(a.size/2) {
		a.settle(now)
	}
}

// try begins to compare size with other, if there is such a size.
func (a *auto) try(other int) bool {
	if other < 1 || other > a.most {
		return false
	}
	a.other, a.turn, a.arms = other, 0, [2]arm{}
	return true
}

// comparing takes a window of one of two sizes, and decides when there are enough of both.
func (a *auto) comparing(m arm, binding bool, now time.Time) {
	if a.binding = binding; !binding && (a.turn == 0 || a.other < a.size) {
		a.settle(now) // there is too little to send for a comparison
		return
	}
	t := &a.arms[a.turn]
	t.windows, t.docs, t.took = t.windows+1, t.docs+m.docs, t.took+m.took
	a.turn = 1 - a.turn
	if a.turn == 1 {
		return
	}
	hopeless := a.arms[1].rate() < a.arms[0].rate()*autoHopeless
	if a.arms[1].windows < autoWindows && !hopeless {
		return
	}
	a.rounds++
	a.decide(now)
}

// decide moves to the other size or not, and on to the next comparison or to rest.
func (a *auto) decide(now time.Time) {
	here, there := a.arms[0].rate(), a.arms[1].rate()
	up := a.other > a.size
	if up && there >= here*autoGain || !up && there >= here*autoEven {
		a.rate = there
		next := a.other * 2
		if !up {
			next = a.other / 2
		}
		a.size, a.moved = a.other, true
		a.moves++
		if !a.try(next) {
			a.settle(now)
		}
		return
	}
	a.rate = here
	if up && !a.moved && !a.turned && a.try(a.size/2) {
		a.turned = true
		return
	}
	a.settle(now)
}

// settle goes to rest.
func (a *auto) settle(now time.Time) {
	a.other, a.turn, a.shifted = 0, 0, 0
	if a.moved {
		a.rest = autoRest
	}
	a.next = now.Add(a.rest)
	a.rest = min(2*a.rest, autoRestMost)
}

func (a *auto) stats() *AutoStats {
	return &AutoStats{Size: a.size, Trying: a.other, Rate: a.rate, Moves: a.moves, Rounds: a.rounds, Binding: a.binding}
}
