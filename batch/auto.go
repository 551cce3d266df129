package batch

import (
	"math"
	"time"
)

// The controller of Config.Size = Auto. It climbs: it holds the size in force against a larger or a
// smaller one, and moves where more documents a second get through.
const (
	autoStart = 64    // the first size
	autoMost  = 8_192 // and the largest

	// autoLeap is the factor between two sizes while the best may be far. In the end it is 2.
	autoLeap = 4

	// A window is what is measured at a stretch: so long at least, and as many batches as may be under
	// way, or a multiple of it. A store that works on them side by side answers them in bunches, and
	// a window of whole bunches has its share of the time between them.
	autoWindow = 100 * time.Millisecond

	// autoWatch is a window at rest.
	autoWatch = 300 * time.Millisecond

	// Two sizes are compared until what is between them is clear of the noise, of which a window has
	// about autoNoise, and the mean of several less; or until each was measured for autoSoon, and at
	// rest, when nothing is urgent, for autoCalm.
	autoNoise = 0.2
	autoSoon  = 600 * time.Millisecond
	autoCalm  = time.Second

	// autoFewest is the number of windows of both for a difference to be clear: two of each, around
	// each other, so that no single gust decides.
	autoFewest = 4

	// A larger size must earn its longer answers; a smaller one need only not be worse. The gap
	// between the two keeps the size from swinging on a plateau.
	autoGain = 0.01
	autoLoss = 0.005

	// What the last step must have gained for another to be worth trying, for each time that the size
	// grew by it. The part of a batch's cost that is the same for all sizes is shared by step times as
	// many documents after each step, and so each gains about step times less than the one before.
	autoWorth = 0.02

	// At rest, neighbours are tried after autoRest, which doubles up to autoRestMost while nothing
	// comes of it; and already after autoPause, at most autoPauseMost, when the rate is off by more
	// than autoShift.
	autoRest      = 2 * time.Second
	autoRestMost  = 8 * time.Second
	autoShift     = 0.25
	autoPause     = time.Second / 4
	autoPauseMost = 2 * time.Second

	// autoIdle is a pause without anything under way after which a window is void.
	autoIdle = 5 * time.Millisecond

	// autoShare is the part of Config.AttemptTimeout that a batch may be expected to take.
	autoShare = 0.25
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
	longest  time.Duration // that a batch may be expected to take

	size    int
	other   int           // compared with size; 0 at rest
	arms    [2]arm        // what was measured of either
	windows int           // and in how many windows, together
	step    int           // the factor between sizes in this climb
	enough  time.Duration // of measuring either
	up      bool          // its direction
	turned  bool          // the other direction was tried before
	moved   bool          // size has changed in this climb
	near    bool          // the last time by the factor 2: that neighbour is known to be worse

	trial   int // grows with every change of the size in force; a batch carries it along
	window  window
	rate    float64       // of size, when last measured
	shifted int           // windows in a row, at rest, that were far off rate
	settled time.Time     // since when nothing is compared
	rest    time.Duration // after which neighbours are tried
	pause   time.Duration // and after which they are if shifted
	idle    time.Time     // since when nothing is under way; zero while something is

	binding       bool
	moves, rounds uint64
}

// arm is what was measured of one size.
type arm struct {
	docs int
	took time.Duration
}

func (a arm) rate() float64 { return float64(a.docs) / a.took.Seconds() }

// window is a measurement under way. It begins with an answer, and counts those that follow.
type window struct {
	batches, full, docs int
	begun               time.Time // zero before the first answer
}

func newAuto(cfg *Config) *auto {
	a := &auto{
		inflight: cfg.Inflight,
		longest:  time.Duration(autoShare * float64(cfg.AttemptTimeout)),
		rest:     autoRest,
		pause:    autoPause,
	}
	for a.most = 1; 2*a.most <= min(autoMost, cfg.Pending/(cfg.Inflight+1)); a.most *= 2 {
	}
	a.size = min(autoStart, a.most)
	return a
}

// whose says whose window it is: 0 size's, 1 other's. The order is 0 1 1 0 0 1 1 …: when the weather
// changes steadily, neither gains by it, and there is one change of size for each of them.
func (a *auto) whose() int { return (a.windows + 1) / 2 % 2 }

// force returns the size in force.
func (a *auto) force() int {
	if a.other != 0 && a.whose() == 1 {
		return a.other
	}
	return a.size
}

// paused notes that nothing is under way any more, resumed that something is again. Time without load
// is no rest: nothing can have been found out in it.
func (a *auto) paused(now time.Time) { a.idle = now }

func (a *auto) resumed(now time.Time) {
	if gap := now.Sub(a.idle); !a.idle.IsZero() && gap > autoIdle {
		a.trial++
		a.window = window{}
		a.settled = a.settled.Add(gap)
	}
	a.idle = time.Time{}
}

// answered notes that the server answered a batch of so many documents, which was sent when trial was
// what is given. After a change of size the window begins anew with every answer to a batch that is
// older: when it has begun, all that is under way is of the new size.
func (a *auto) answered(trial, docs int, now time.Time) {
	w := &a.window
	if w.begun.IsZero() || trial != a.trial {
		*w = window{begun: now}
		return
	}
	w.batches++
	w.docs += docs
	if docs >= a.force() {
		w.full++
	}
	took := now.Sub(w.begun)
	if w.batches%a.inflight != 0 || took < a.span() {
		return
	}
	a.binding = 4*w.full >= 3*w.batches
	measured, force := arm{w.docs, took}, a.force()
	if a.other == 0 {
		a.resting(measured, now)
	} else {
		a.comparing(measured, now)
	}
	a.window = window{begun: now}
	if a.force() != force {
		a.trial++
	}
}

// span is how long a window lasts. Those of two sizes last as long as the larger size needs: in windows
// of different length the same weather looks different.
func (a *auto) span() time.Duration {
	switch {
	case a.rate == 0:
		return autoWindow
	case a.other == 0:
		return autoWatch
	}
	return max(autoWindow, a.expected(max(a.size, a.other)))
}

// expected is how long batches of n may be expected to take, all that may be under way together.
func (a *auto) expected(n int) time.Duration {
	if a.rate == 0 {
		return 0
	}
	return time.Duration(float64(a.inflight*n) / a.rate * float64(time.Second))
}

// resting decides after a window at rest whether to try other sizes. Where batches aren't full, there
// is less to send than the size allows, and every larger size is the same.
func (a *auto) resting(m arm, now time.Time) {
	if !a.binding {
		return
	}
	if math.Abs(m.rate()-a.rate) > autoShift*a.rate {
		a.shifted++
	} else {
		a.shifted = 0
	}
	calm := now.Sub(a.settled)
	switch {
	case a.rate == 0, a.shifted >= 2 && calm >= a.pause:
		a.pause = min(2*a.pause, autoPauseMost)
		a.changed(m, now)
	case calm >= a.rest:
		if a.shifted == 0 {
			a.pause = autoPause
		}
		a.rest = min(2*a.rest, autoRestMost)
		a.climb(true, 2, autoCalm, now)
	}
}

// changed looks for the best size anew: first where it probably is. A store that has become slower, or
// is new, may be so for what every batch costs, of which larger ones have less.
func (a *auto) changed(m arm, now time.Time) {
	faster := a.rate > 0 && m.rate() > a.rate
	a.rate, a.rest = m.rate(), autoRest
	a.climb(!faster, autoLeap, autoSoon, now)
}

// climb begins to look for a better size in one direction; if there is none, it turns to the other.
func (a *auto) climb(up bool, step int, enough time.Duration, now time.Time) {
	a.up, a.step, a.enough, a.turned, a.moved, a.near = up, step, enough, false, false, false
	a.further(now)
}

// further tries the next size in the direction of the climb.
func (a *auto) further(now time.Time) {
	far, near := a.size*a.step, a.size*2
	if !a.up {
		far, near = a.size/a.step, a.size/2
	}
	if !a.try(far) && !a.try(near) {
		a.back(now)
	}
}

// back tries the other direction, if that is still to be done.
func (a *auto) back(now time.Time) {
	if a.turned || a.near {
		a.settle(now)
		return
	}
	a.up, a.turned = !a.up, true
	a.step = autoLeap
	if a.moved {
		a.step = 2 // what is between this size and the one before
	}
	a.further(now)
}

// try begins to compare size with other, if there is such a size and a batch of it may be expected to
// be answered soon enough.
func (a *auto) try(other int) bool {
	if other < 1 || other > a.most || a.expected(other) > a.longest {
		return false
	}
	a.other, a.windows, a.arms = other, 0, [2]arm{}
	return true
}

// comparing takes a window of one of two sizes, and decides when there is enough of both.
func (a *auto) comparing(m arm, now time.Time) {
	whose := a.whose()
	if !a.binding && (whose == 0 || a.other < a.size) {
		a.settle(now) // there is too little to send for a comparison
		return
	}
	a.arms[whose].docs += m.docs
	a.arms[whose].took += m.took
	if a.windows++; a.windows%2 == 0 && a.clear() {
		a.rounds++
		a.decide(now)
	}
}

// gain is how much more gets through with other than with size, as a part of it.
func (a *auto) gain() float64 { return a.arms[1].rate()/a.arms[0].rate() - 1 }

// wanted is the gain for which other is taken.
func (a *auto) wanted() float64 {
	if a.other > a.size {
		return autoGain
	}
	return -autoLoss
}

// clear says whether both sizes were measured for long enough to tell which is to be taken. A first
// impression may only speak for the larger one, with which it is cheaper to be wrong.
func (a *auto) clear() bool {
	took := min(a.arms[0].took, a.arms[1].took)
	if took >= a.enough {
		return true
	}
	noise := autoNoise * math.Sqrt(autoWindow.Seconds()/took.Seconds())
	more := a.gain() - a.wanted()
	return math.Abs(more) > noise && (a.windows >= autoFewest || a.up == (more > 0))
}

// decide moves to the other size or not, and goes on to the next comparison or to rest.
func (a *auto) decide(now time.Time) {
	gain, near := a.gain(), a.other == 2*a.size || a.size == 2*a.other
	switch {
	case gain >= a.wanted():
		a.rate = a.arms[1].rate()
		a.size, a.moved, a.near = a.other, true, near
		a.rest = autoRest
		a.moves++
		if a.up && gain < autoWorth*float64(a.step) {
			a.settle(now)
		} else {
			a.further(now)
		}
	case near:
		a.rate = a.arms[0].rate()
		a.back(now)
	default:
		a.rate = a.arms[0].rate()
		a.step = 2
		a.further(now)
	}
}

// settle goes to rest.
func (a *auto) settle(now time.Time) {
	a.other, a.windows, a.shifted = 0, 0, 0
	a.settled = now
}

func (a *auto) stats() *AutoStats {
	return &AutoStats{Size: a.size, Trying: a.other, Rate: a.rate, Moves: a.moves, Rounds: a.rounds, Binding: a.binding}
}
