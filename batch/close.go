package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// grace is how long Close waits for attempts under way to notice that they are cancelled.
const grace = time.Second

// Flush sends what is pending without lingering and returns when all that was added before has its
// outcome and, where nobody heard a bad one, is in the dead letter; what an earlier process left in
// the spool included. The error is *Unstored if some of it is not stored, or wraps ctx's if that ended first; documents are on their way then.
func (b *Buffer) Flush(ctx context.Context) error {
	if b.replayed != nil {
		select {
		case <-b.replayed:
		case <-ctx.Done():
			return fmt.Errorf("batch: flush %q: %w", b.cfg.Name, ctx.Err())
		}
	}
	b.mu.Lock()
	b.seal()
	books := make([]*book, 0, len(b.books))
	for k := range b.books {
		if k.finished == nil {
			k.finished = make(chan struct{})
		}
		books = append(books, k)
	}
	b.kick()
	b.mu.Unlock()

	bad := Unstored{Name: b.cfg.Name}
	for _, k := range books {
		select {
		case <-k.finished:
			bad.Rejected += k.rejected
			bad.Failed += k.failed
		case <-ctx.Done():
			return fmt.Errorf("batch: flush %q: %w", b.cfg.Name, ctx.Err())
		}
	}
	if bad.Rejected+bad.Failed > 0 {
		return &bad
	}
	return nil
}

// Close stops admission, sends what is pending, and returns when it has its outcome or ctx ends.
// In the second case attempts under way are cancelled, and what is left stays in the spool if it was
// spooled; otherwise it has failed: its waiter hears it, or the dead letter takes it. The error is
// then *Undelivered.
//
// Closing again waits for the first Close and returns its result.
func (b *Buffer) Close(ctx context.Context) error {
	b.mu.Lock()
	if b.closing {
		b.mu.Unlock()
		<-b.closed
		return b.closeErr
	}
	b.closing = true
	close(b.stop)
	b.dismiss()
	// Those who were let in before are few, and busy with nothing but their document. Once they are
	// through, nothing can join any more: pending only falls.
	for b.entering > 0 {
		entered := make(chan struct{})
		b.entered = entered
		b.mu.Unlock()
		<-entered
		b.mu.Lock()
	}
	b.seal()
	b.kick()
	drained := make(chan struct{})
	if b.pending == 0 {
		close(drained)
	} else {
		b.drained = drained
	}
	b.mu.Unlock()

	u := &Undelivered{Name: b.cfg.Name}
	select {
	case <-drained:
	case <-ctx.Done():
		b.giveUp(u, drained)
	}
	b.mu.Lock()
	b.over = true
	b.alarm.stop()
	b.mu.Unlock()
	b.cancel()
	b.closeErr = b.result(u)
	close(b.closed)
	return b.closeErr
}

// result closes the spool and sums up what Close could not deliver.
func (b *Buffer) result(u *Undelivered) error {
	unread, err := b.closeSpool()
	u.Spooled = max(u.Spooled, unread)
	if u.Spooled+u.DeadLettered+u.Told+u.Lost == 0 {
		if err != nil {
			return fmt.Errorf("batch: close %q: %w", b.cfg.Name, err)
		}
		return nil
	}
	if u.Err == nil {
		u.Err = errors.New("there was no time to send them")
	}
	u.Err = errors.Join(u.Err, err)
	return u
}

// giveUp settles what Close could not deliver. Attempts under way are cancelled and get a moment to
// come back with what they know; one that doesn't is abandoned: its documents are settled from here,
// and its flusher, whenever the sink lets go of it, finds nothing left to do. The memory of an
// abandoned batch is never reused, since the sink may still read it.
func (b *Buffer) giveUp(u *Undelivered, drained <-chan struct{}) {
	b.mu.Lock()
	u.Err = b.health.cause
	b.undelivered = u
	b.over = true
	rest := slices.Clone(b.retries)
	for c := b.ready.pop(); c != nil; c = b.ready.pop() {
		rest = append(rest, c)
	}
	b.retries = nil
	b.mu.Unlock()

	b.cancel()
	for _, c := range rest {
		b.settle(c, b.unfinished(c), nil)
	}
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case <-drained:
	case <-patience.C:
		b.abandon()
		<-drained
	}
}

// abandon settles the batches whose attempts don't come back.
func (b *Buffer) abandon() {
	gone := make(map[*cargo][]Outcome)
	b.mu.Lock()
	for c := range b.flying {
		c.abandoned = true
		gone[c] = b.unfinished(c)
	}
	b.mu.Unlock()
	for c, outcomes := range gone {
		b.settle(c, outcomes, nil)
	}
}

// giveBack settles a batch that came back from its attempt after Close had given up, unless that has
// abandoned it.
func (b *Buffer) giveBack(c *cargo) {
	b.mu.Lock()
	delete(b.flying, c)
	if c.abandoned {
		b.mu.Unlock()
		return
	}
	outcomes := b.unfinished(c)
	b.mu.Unlock()
	b.settle(c, outcomes, nil)
}

// unfinished returns the outcomes of documents for which time has run out: left, if the spool has
// them, failed otherwise.
func (b *Buffer) unfinished(c *cargo) []Outcome {
	reason := "the buffer was closed"
	switch {
	case c.cause != nil:
		reason = fmt.Sprintf("%s; last: %v", reason, c.cause)
	case c.tries > 0:
		reason += " while it was under way; it may be stored"
	}
	c.cut = true
	all := make([]Outcome, len(c.docs))
	for i := range all {
		all[i] = Outcome{Kind: Failed, Reason: reason}
		if c.seq(i) != 0 {
			all[i] = Outcome{Kind: left}
		}
	}
	return all
}
