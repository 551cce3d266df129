package batch

import (
	"context"
	"errors"
	"fmt"
	"time"
)

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
	b.judge(c, outcomes)
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

	var rest *cargo
	var cause error
	if t.again > 0 {
		rest = c.pick(func(i int) bool { return outcomes[i].Kind == 0 })
		cause = errors.New(firstReason(outcomes))
		rest.cause = cause
	}
	cameBack, over := b.finish(c, t, rest, took)

	if took != nil && b.cfg.Hooks.Flushed != nil {
		b.cfg.Hooks.Flushed(Flush{Name: b.cfg.Name, Docs: len(c.docs), Bytes: c.bytes, Took: *took,
			Stored: t.stored, Rejected: t.rejected, Failed: t.failed, Again: t.again})
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

// finish does the sums for c's concluded documents, gives their room back, and queues rest, if there
// is one, for another attempt. It says whether the store came back with this answer, and whether
// Close has given up: then rest is not queued.
func (b *Buffer) finish(c *cargo, t tally, rest *cargo, took *time.Duration) (cameBack, over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if took != nil {
		cameBack = b.health.answered(c)
		b.counts.answer(len(c.docs), *took)
		if b.auto != nil && c.tries == 1 {
			b.auto.answered(c.trial, len(c.docs), time.Now())
			b.size = b.auto.force()
		}
	}
	if rest != nil && !b.over {
		b.retry(rest, b.retryTime(rest))
	}
	b.counts.add(t)
	if c.cut {
		b.undelivered.add(t)
	}
	k := c.book
	k.open -= t.n
	k.rejected += t.rejected
	k.failed += t.failed
	if k.open == 0 {
		delete(b.books, k)
		if k.finished != nil {
			close(k.finished)
		}
	}
	b.release(t.n, t.bytes)
	return cameBack, b.over
}

// recycle keeps c for another batch. Nobody may hold it any more.
func (b *Buffer) recycle(c *cargo) {
	c.reset()
	b.spare.Put(c)
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
