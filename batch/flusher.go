package batch

import (
	"context"
	"errors"
	"fmt"
	"time"
)

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

// attempt sends c once and deals with what comes back. The flusher owns c meanwhile.
func (b *Buffer) attempt(c *cargo) {
	if b.late(c, time.Now()) {
		b.conclude(c, outcomesOf(c, Outcome{Kind: Failed, Reason: lateReason(c)}), nil)
		return
	}
	ctx, cancel := b.attemptContext()
	defer cancel()
	begun := time.Now()
	outcomes, err := b.insert(ctx, c.docs)
	took := time.Since(begun)
	if err != nil {
		b.stumbled(c, err, ctx.Err() == context.DeadlineExceeded)
		return
	}
	b.judge(ctx, c, outcomes)
	b.conclude(c, outcomes, &took)
}

// attemptContext bounds one call of the sink. It descends from the buffer, never from a request.
func (b *Buffer) attemptContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.base, b.cfg.AttemptTimeout)
}

func lateReason(c *cargo) string {
	if c.cause == nil {
		return "the deadline passed"
	}
	return fmt.Sprintf("the deadline passed; last: %v", c.cause)
}

// insert calls the sink. One that answers for another number of documents than it was given has
// failed like a server that hung up: nothing is known.
func (b *Buffer) insert(ctx context.Context, docs [][]byte) (outcomes []Outcome, err error) {
	defer recovered(&err)
	outcomes, err = b.sink.Insert(ctx, docs)
	if err == nil && len(outcomes) != len(docs) {
		return nil, fmt.Errorf("batch: sink returned %d outcomes for %d documents", len(outcomes), len(docs))
	}
	return outcomes, err
}

// recovered turns a panic of the sink, when deferred, into an error. It names no Fault, and is
// treated like a server that hung up.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("batch: sink panicked: %v", p)
	}
}

// outcomesOf returns the same outcome for every document of c.
func outcomesOf(c *cargo, o Outcome) []Outcome {
	all := make([]Outcome, len(c.docs))
	for i := range all {
		all[i] = o
	}
	return all
}

// conclude enters the outcomes of c's documents, those of kind 0 excepted: they go out again. took
// is how long the server needed for its answer; nil if it gave none.
//
// The order is: the waiters hear, the dead letter is written, the spool is told, the room is given
// back. So Flush and Close, which wait for the room, return after the dead letter is written; and a
// spooled document is acknowledged only when it is stored or in the dead letter.
func (b *Buffer) conclude(c *cargo, outcomes []Outcome, took *time.Duration) {
	b.mu.Lock()
	delete(b.flying, c)
	if c.abandoned { // Close has settled these documents
		b.mu.Unlock()
		return
	}
	b.mu.Unlock()
	b.settle(c, outcomes, took)
}

// settle is conclude for who owns c.
func (b *Buffer) settle(c *cargo, outcomes []Outcome, took *time.Duration) {
	orphans := c.book.decide(c, outcomes, nil)
	unwritten := b.bury(c, outcomes, orphans)
	t := tallyOf(c, outcomes, orphans, unwritten)
	t.kept = b.acknowledge(c, outcomes, unwritten)
	t.lost -= t.kept
	f := Flush{Name: b.cfg.Name, Docs: len(c.docs), Bytes: c.bytes, Stored: t.stored, Rejected: t.rejected,
		Failed: t.failed, Again: t.again}
	if took != nil {
		f.Took = *took
	}
	var rest *cargo
	var cause error
	if t.again > 0 {
		rest = c.pick(func(i int) bool { return outcomes[i].Kind == 0 })
		cause = errors.New(firstReason(outcomes))
		rest.cause = cause
	}

	b.mu.Lock()
	cameBack := false
	if took != nil {
		cameBack = b.health.answered(c)
		b.counts.answer(f.Docs, f.Took)
		if b.auto != nil && c.tries == 1 {
			b.auto.answered(f.Docs, time.Now())
			b.size = b.auto.force()
		}
	}
	over := b.over
	if rest != nil && !over {
		b.retry(rest, b.retryTime(rest))
	}
	b.finish(c, t)
	b.mu.Unlock()

	if took != nil && b.cfg.Hooks.Flushed != nil {
		b.cfg.Hooks.Flushed(f)
	}
	if cameBack {
		b.reportHealth(false, nil)
	}
	switch {
	case rest != nil && over:
		b.settle(rest, b.unfinished(rest), nil)
	case rest != nil:
		b.reportRetry("the server asks for it", t.again, cause)
	}
	if !c.abandoned {
		b.recycle(c)
	}
}

// recycle keeps c for another batch. Nobody may hold it any more.
func (b *Buffer) recycle(c *cargo) {
	c.reset()
	b.spare.Put(c)
}

// finish does the sums for concluded documents. The lock is held.
func (b *Buffer) finish(c *cargo, t tally) {
	k, cut := c.book, c.cut
	k.open -= t.n
	k.rejected += t.rejected
	k.failed += t.failed
	b.counts.add(t)
	if u := b.undelivered; u != nil && cut {
		u.Spooled += t.left + t.kept
		u.DeadLettered += t.buried
		u.Lost += t.lost
		u.Told += t.n - t.left - t.kept - t.buried - t.lost
	}
	if k.open == 0 {
		delete(b.books, k)
		if k.finished != nil {
			close(k.finished)
		}
	}
	b.release(t.n, t.bytes)
}

// firstReason says why the first of the undecided documents is undecided.
func firstReason(outcomes []Outcome) string {
	for _, o := range outcomes {
		if o.Kind == 0 {
			return o.Reason
		}
	}
	return ""
}
