package batch

import (
	"container/heap"
	"errors"
	"math/rand/v2"
	"time"
)

// hangupPause bounds the pause of the whole buffer after hang-ups. It is short, because the reason
// may be one document, and the others should not pay for it.
const hangupPause = 100 * time.Millisecond

// hangupRun is the number of hang-ups in a row, of whichever batches, that close the gate.
const hangupRun = 3

// health is what recent attempts say about the server, and the gate that follows from it. While the
// gate is closed, one attempt at a time goes through, after a pause; the first answer opens it.
//
// A server that can't be reached closes the gate at once, and after Config.DownAfter attempts counts
// as down. A server that hangs up is there, and probably means one document: it closes the gate
// only after some hang-ups in a row, for short pauses, and never counts as down.
//
// There is no separate probe to notice that a server is back. A buffer that is down holds
// documents, because those whose attempts failed are still pending, and they are what is sent. If
// they all leave by their deadline, the next document is let in although the server is down, and
// is the probe; see down.
type health struct {
	run     int       // attempts in a row without an answer
	lost    int       // of those, attempts that found no server
	until   time.Time // the gate lets nothing through before
	shut    bool      // the gate is closed
	probing bool      // an attempt is under way through the closed gate
	epoch   int       // grows with each fault that counts
	wins    uint64    // answers, ever
	isDown  bool
	cause   error // of the last fault
}

// admits says whether an attempt may begin.
func (h *health) admits(now time.Time) bool {
	return !h.shut || !h.probing && !now.Before(h.until)
}

// begin notes that c's attempt begins.
func (h *health) begin(c *cargo) {
	c.epoch, c.probe = h.epoch, h.shut
	h.probing = h.probing || h.shut
}

// answered notes an answer, and says whether the server was down before.
func (h *health) answered(c *cargo) (cameBack bool) {
	if c.probe {
		h.probing = false
	}
	cameBack = h.isDown
	h.wins++
	h.run, h.lost, h.shut, h.isDown, h.cause = 0, 0, false, false, nil
	return cameBack
}

// failed notes an attempt without an answer, and says whether the server went down with it. Attempts
// that ran side by side and failed together count as one: they say the same thing once.
func (h *health) failed(c *cargo, lost bool, now time.Time, cfg *Config) (wentDown bool) {
	if c.probe {
		h.probing = false
	}
	if c.epoch != h.epoch {
		return false
	}
	h.epoch++
	h.run++
	if lost {
		h.lost++
	}
	switch {
	case h.lost > 0:
		h.shut = true
		h.until = now.Add(cfg.backoff(h.lost))
	case h.run >= hangupRun:
		h.shut = true
		h.until = now.Add(min(cfg.backoff(h.run-hangupRun+1), hangupPause))
	}
	wentDown = !h.isDown && h.lost >= cfg.DownAfter
	h.isDown = h.isDown || wentDown
	return wentDown
}

// down says whether level Store is to be refused. With nothing pending nobody would notice that the
// store is back; then it is tried.
func (b *Buffer) down() bool { return b.health.isDown && b.pending > 0 }

// backoff returns the pause after n failures: BackoffMin, doubled n-1 times, at most BackoffMax, of
// which the upper half is random, so that the buffers of many servers don't knock in step.
func (c *Config) backoff(n int) time.Duration {
	d := c.BackoffMax
	if n < 32 && c.BackoffMin<<(n-1) < d && c.BackoffMin<<(n-1) > 0 {
		d = c.BackoffMin << (n - 1)
	}
	if d < 2 {
		return d
	}
	return d/2 + rand.N(d/2)
}

// stumbled deals with an attempt that brought no outcomes.
func (b *Buffer) stumbled(c *cargo, err error, timeout bool) {
	kind := Ambiguous
	var f *Fault
	if errors.As(err, &f) {
		kind = f.Kind
	}

	b.mu.Lock()
	if c.abandoned {
		delete(b.flying, c)
		b.mu.Unlock()
		return
	}
	c.cause = err
	c.ambiguous = c.ambiguous || kind == Ambiguous
	b.counts.faults[kind]++
	over := b.over
	var turned bool
	if kind == Refused {
		turned = b.health.answered(c)
	} else {
		turned = b.health.failed(c, kind == Unsent || timeout, time.Now(), &b.cfg)
		b.health.cause = err
	}
	b.mu.Unlock()
	if turned {
		b.reportHealth(kind != Refused, err)
	}

	switch {
	case over:
		b.giveBack(c)
	case kind == Refused:
		b.refusedWhole(c, err)
	case kind == Ambiguous:
		b.hungUp(c, err)
	default:
		b.again(c, "unsent")
	}
}

// again queues c for another attempt, after a pause of its own. Behind a closed gate it needs none:
// the gate's is enough.
func (b *Buffer) again(c *cargo, why string) {
	n, cause := len(c.docs), c.cause
	b.mu.Lock()
	if b.over {
		b.mu.Unlock()
		b.giveBack(c)
		return
	}
	b.retry(c, b.retryTime(c))
	delete(b.flying, c)
	b.mu.Unlock()
	b.reportRetry(why, n, cause)
}

// retryTime returns when c may be tried again.
func (b *Buffer) retryTime(c *cargo) time.Time {
	now := time.Now()
	switch {
	case c.strikes > 0:
		return now.Add(b.suspectPause(c))
	case b.health.shut:
		return now
	}
	return now.Add(b.cfg.backoff(max(c.tries, 1)))
}

// retry queues c to be tried again at due.
func (b *Buffer) retry(c *cargo, due time.Time) {
	c.due = due
	b.counts.retried += uint64(len(c.docs))
	heap.Push(&b.retries, c)
}

// retryHeap holds batches that wait for another attempt, the one that is due first at the top.
type retryHeap []*cargo

func (h retryHeap) Len() int           { return len(h) }
func (h retryHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h retryHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *retryHeap) Push(x any)        { *h = append(*h, x.(*cargo)) }

// Pop removes the last element, as container/heap asks of it.
func (h *retryHeap) Pop() any {
	last := len(*h) - 1
	c := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return c
}

func (h retryHeap) first() *cargo {
	if len(h) == 0 {
		return nil
	}
	return h[0]
}

func (h *retryHeap) pop() *cargo         { return heap.Pop(h).(*cargo) }
func (h *retryHeap) remove(i int) *cargo { return heap.Remove(h, i).(*cargo) }

// alarm is the buffer's one timer. It may ring too early, never too late: a batch that is sent
// before its linger is over leaves the alarm as it is, and whoever it wakes looks and sets it anew.
type alarm struct {
	timer *time.Timer
	set   bool
	when  time.Time
	ring  func()
}

// at makes the alarm ring at t, unless it is set for an earlier time. The zero time sets nothing.
func (a *alarm) at(t time.Time) {
	if t.IsZero() || a.set && !t.Before(a.when) {
		return
	}
	a.set, a.when = true, t
	if a.timer == nil {
		a.timer = time.AfterFunc(time.Until(t), a.ring)
		return
	}
	a.timer.Reset(time.Until(t))
}

// stop silences the alarm for good.
func (a *alarm) stop() {
	if a.timer != nil {
		a.timer.Stop()
	}
}
