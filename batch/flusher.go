package batch

import "time"

// kick starts flushers for what is due, as far as Inflight allows, and sets the alarm for what will
// be. It is called with the lock held whenever something may have become due. With all flushers
// busy it has nothing to do: each looks for itself when it is done.
func (b *Buffer) kick() {
	if b.flushers >= b.cfg.Inflight {
		return
	}
	now := time.Now()
	for b.flushers < b.cfg.Inflight {
		c := b.due(now)
		if c == nil {
			b.arm(now)
			return
		}
		if b.flushers++; b.flushers == 1 && b.auto != nil {
			b.auto.resumed(now)
		}
		go b.flush(c)
	}
}

// joined is kick after documents were added. Most join a batch that lingers, for which the alarm is
// set already, and there is nothing to do.
func (b *Buffer) joined() {
	if c := b.open; c == nil || !c.timed || c.wanted || len(c.docs) >= b.size || b.ready.head != nil {
		b.kick()
	}
}

// flush is a flusher: it sends one batch after the other until none is due.
func (b *Buffer) flush(c *cargo) {
	for c != nil {
		b.attempt(c)
		b.mu.Lock()
		now := time.Now()
		if c = b.due(now); c == nil {
			if b.flushers--; b.flushers == 0 && b.auto != nil {
				b.auto.paused(now)
			}
			b.arm(now)
		} else if b.flushers < b.cfg.Inflight {
			b.kick()
		}
		b.mu.Unlock()
	}
}

// due takes the batch that is to be sent now out of its place, or returns nil.
//
// This is where batches find their size. A batch somebody waits for is due at once, however small:
// an idle flusher never lets anybody wait for company. While all flushers are busy nobody calls due,
// and what arrives joins the open batch. One that is only lingering is due when its time is over.
func (b *Buffer) due(now time.Time) *cargo {
	if c := b.expired(now); c != nil {
		b.flying[c] = struct{}{}
		return c
	}
	if !b.health.admits(now) {
		return nil
	}
	c := b.choose(now)
	if c == nil {
		return nil
	}
	b.flying[c] = struct{}{}
	c.tries++
	if b.auto != nil {
		c.trial = b.auto.trial
	}
	b.health.begin(c)
	return c
}

// choose picks between what waits for another attempt, what is sealed, and the open batch. While it
// is in doubt whether the server hangs up at everything or at one document, what it has not hung up
// at yet goes first.
func (b *Buffer) choose(now time.Time) *cargo {
	fresh := b.ready.head != nil || b.open != nil && b.ripe(now)
	if c := b.retries.first(); c != nil && !now.Before(c.due) && !(fresh && b.health.run > 0 && c.strikes > 0) {
		return b.retries.pop()
	}
	if !fresh {
		return nil
	}
	return b.oldest()
}

// oldest takes out the oldest untried batch. With Auto a batch holds more than is sent at once: the size is
// settled here, when it is sent, and not when the documents came, so that a change of it is felt at
// once, however much is waiting. What is left stays where it is, and if that is the open batch, more
// may join it.
func (b *Buffer) oldest() *cargo {
	c := b.ready.head
	if c == nil {
		c = b.open
	}
	if len(c.docs) > b.size {
		p := b.empty()
		c.divide(b.size, p)
		return p
	}
	if b.ready.head == nil {
		b.seal()
	}
	return b.ready.pop()
}

// ripe says whether the open batch has lingered enough.
func (b *Buffer) ripe(now time.Time) bool {
	return b.open.wanted || b.closing || len(b.open.docs) >= b.size || !now.Before(b.open.since.Add(b.cfg.Linger))
}

// expired takes out a batch that is past its deadline, whether it was tried or not. The oldest of
// the untried stands first in its queue; those to be retried are few.
func (b *Buffer) expired(now time.Time) *cargo {
	if b.cfg.Deadline <= 0 {
		return nil
	}
	for i, c := range b.retries {
		if b.late(c, now) {
			return b.retries.remove(i)
		}
	}
	if b.ready.head == nil && b.open != nil && b.late(b.open, now) {
		b.seal()
	}
	if b.ready.head != nil && b.late(b.ready.head, now) {
		return b.ready.pop()
	}
	return nil
}

func (b *Buffer) late(c *cargo, now time.Time) bool {
	return b.cfg.Deadline > 0 && !now.Before(c.since.Add(b.cfg.Deadline))
}

// arm sets the alarm for what will be due next.
func (b *Buffer) arm(now time.Time) {
	b.alarm.at(b.nextDue(now))
	if b.open != nil {
		b.open.timed = true
	}
}

// nextDue returns when due may find something, the zero time if only an event can change that.
func (b *Buffer) nextDue(now time.Time) time.Time {
	var next time.Time
	sooner := func(t time.Time) {
		if next.IsZero() || t.Before(next) {
			next = t
		}
	}
	gate := b.health.until
	if !b.health.probing {
		for _, c := range []*cargo{b.retries.first(), b.ready.head, b.open} {
			switch {
			case c == nil:
			case c == b.open && !b.ripe(now):
				sooner(later(gate, c.since.Add(b.cfg.Linger)))
			default:
				sooner(later(gate, c.due))
			}
		}
	}
	if b.cfg.Deadline > 0 {
		for _, c := range b.retries {
			sooner(c.since.Add(b.cfg.Deadline))
		}
		for _, c := range []*cargo{b.ready.head, b.open} {
			if c != nil {
				sooner(c.since.Add(b.cfg.Deadline))
			}
		}
	}
	return next
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// wake is what the alarm calls.
func (b *Buffer) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.alarm.set = false
	b.kick()
}
