package batch

import (
	"context"
	"fmt"
	"time"
)

// convincing is the number of times that the server must have answered others between its hang-ups
// at the same document, before that document is rejected for it.
const convincing = 12

// hungUp deals with a batch that was sent and not answered. The reason is the connection, or it is
// one of the documents: some databases drop the connection at a document they can't hold.
//
// One hang-up says nothing, and the batch goes out again as it is. At the second one it is split in
// halves, if somebody has been answered since the first (the connection works, so the batch is
// suspect) or if there is nobody left who could be (everything pending is suspect). Halves inherit
// the suspicion and split at once; those without the document at fault are stored on the way.
//
// A document that stands alone is tried on. It is rejected when the server answered others between
// its hang-ups, convincing times, and its Patience is over. Both must hold: a broken connection hits
// everybody and proves nothing, and one that breaks by size or by chance may let neighbours through
// for a while. (Of connections that break three times in ten, whatever they carry, one in six
// million does so thirteen times in a row.) A document that nothing is proven about is never given
// up. Where no other traffic can prove anything, a sink that is a Pinger is asked.
func (b *Buffer) hungUp(c *cargo, err error) {
	now := time.Now()
	b.mu.Lock()
	if c.strikes == 0 {
		c.first = now
	} else if b.health.wins > c.wins {
		c.proofs++
	}
	c.strikes++
	c.wins = b.health.wins
	suspect := len(c.docs) > 1 && c.strikes > 1 && (c.proofs > 0 || b.allSuspect())
	b.mu.Unlock()

	switch {
	case suspect:
		b.split(c)
	case len(c.docs) > 1:
		b.again(c, "no answer")
	case c.proofs >= convincing && now.Sub(c.first) >= b.cfg.Patience:
		b.convict(c, err)
	default:
		b.ping()
		b.again(c, "no answer")
	}
}

// convict rejects the document at which the server hangs up. It may have been stored all the same,
// with only the answer lost each time; a sink that is a Holder knows. If that can't be learned either,
// though it is tried as often again, it may be the document's _id that the server can't bear.
func (b *Buffer) convict(c *cargo, err error) {
	o := Outcome{Kind: Rejected, Reason: fmt.Sprintf(
		"the server hung up %d times at this document and answered others in between: %v", c.strikes, err)}
	if holder, ok := b.sink.(Holder); ok {
		switch held, err := b.holds(holder, c, c.docs); {
		case err != nil && c.proofs < 2*convincing:
			b.ping()
			b.again(c, "no answer")
			return
		case err == nil && held[0]:
			o = Outcome{Kind: Stored}
		}
	}
	b.conclude(c, outcomesOf(c, o), nil)
}

// suspectPause returns the pause before the next attempt of a batch that was hung up at. While its
// Patience lasts, the pauses are short enough for convincing hang-ups to fit in.
func (b *Buffer) suspectPause(c *cargo) time.Duration {
	d := b.cfg.backoff(c.strikes)
	if time.Since(c.first) < b.cfg.Patience {
		d = min(d, b.cfg.Patience/(convincing+2))
	}
	return d
}

// allSuspect says that whatever is pending beside the batch under way has been hung up at twice.
func (b *Buffer) allSuspect() bool {
	if b.open != nil || b.ready.head != nil || len(b.flying) > 1 {
		return false
	}
	for _, c := range b.retries {
		if c.strikes < 2 {
			return false
		}
	}
	return true
}

// ping asks the server for a sign of life, where the sink can.
func (b *Buffer) ping() {
	p, ok := b.sink.(Pinger)
	if !ok {
		return
	}
	ctx, cancel := b.attemptContext()
	defer cancel()
	if pinged(ctx, p) != nil {
		return
	}
	b.mu.Lock()
	b.health.wins++
	b.mu.Unlock()
}

func pinged(ctx context.Context, p Pinger) (err error) {
	defer recovered(&err)
	return p.Ping(ctx)
}

// refusedWhole deals with a batch that the server refused as a whole. It may mean every document,
// or one that spoils the command: halves tell.
func (b *Buffer) refusedWhole(c *cargo, err error) {
	if len(c.docs) > 1 {
		b.split(c)
		return
	}
	b.conclude(c, outcomesOf(c, Outcome{Kind: Rejected, Reason: err.Error()}), nil)
}

// split queues the two halves of c, to be sent at once and in order.
func (b *Buffer) split(c *cargo) {
	half := len(c.docs) / 2
	front := c.pick(func(i int) bool { return i < half })
	back := c.pick(func(i int) bool { return i >= half })
	n, cause, now := len(c.docs), c.cause, time.Now()

	b.mu.Lock()
	if b.over {
		b.mu.Unlock()
		b.giveBack(c)
		return
	}
	b.retry(front, now)
	b.retry(back, now.Add(1))
	b.counts.splits++
	delete(b.flying, c)
	b.mu.Unlock()

	b.recycle(c)
	b.reportRetry("split", n, cause)
}
