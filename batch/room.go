package batch

import (
	"container/list"
	"fmt"
	"time"
)

// waitlist is the queue of those who wait for room, first come, first served.
//
// Room is given, not announced: who releases some counts it to the head of the queue at once and
// only then wakes it. So nobody can take it in between, a large request isn't starved by small ones
// behind it, and a wake-up is never spent on somebody for whom the room doesn't suffice.
type waitlist struct{ list.List }

// waiter is one place in the queue.
type waiter struct {
	n    int
	size int64
	done chan struct{} // closed when room was given, or the buffer closed
	got  bool
}

// reserve counts n documents of together size bytes as pending, or says why it can't. It is called
// with the lock held and returns with it held, but may have let go of it in between.
func (b *Buffer) reserve(n int, size int64, l Level) error {
	switch {
	case b.closing:
		b.counts.refusedClosed += uint64(n)
		return ErrClosed
	case n > b.cfg.Pending || size > b.cfg.PendingBytes:
		return fmt.Errorf("%w: %d documents of %d bytes at once, at most %d of %d",
			ErrTooLarge, n, size, b.cfg.Pending, b.cfg.PendingBytes)
	case l == Store && b.down():
		b.counts.refusedDown += uint64(n)
		return ErrDown
	case b.room.Len() == 0 && b.fits(n, size):
		b.take(n, size)
		return nil
	}
	// Full. Nothing is gained by lingering now.
	b.hurry()
	if b.cfg.FullWait <= 0 {
		b.counts.refusedFull += uint64(n)
		return ErrFull
	}
	return b.waitRoom(n, size)
}

func (b *Buffer) fits(n int, size int64) bool {
	return b.pending+n <= b.cfg.Pending && b.bytes+size <= b.cfg.PendingBytes
}

func (b *Buffer) take(n int, size int64) {
	b.pending += n
	b.bytes += size
}

// waitRoom queues for room until there is some or FullWait is over.
//
// The end of the wait can race with the room being given. Both happen under the lock: who finds
// after a timeout that it has the room keeps it, and who leaves without takes its place out of the
// queue and passes on the room that may suffice for those behind it.
func (b *Buffer) waitRoom(n int, size int64) error {
	w := &waiter{n: n, size: size, done: make(chan struct{})}
	place := b.room.PushBack(w)
	timeout := time.NewTimer(b.cfg.FullWait)
	b.mu.Unlock()
	select {
	case <-w.done:
	case <-timeout.C:
	}
	timeout.Stop()
	b.mu.Lock()
	switch {
	case w.got:
		b.enter(-1)
		return nil
	case b.closing:
		b.counts.refusedClosed += uint64(n)
		return ErrClosed
	}
	b.room.Remove(place)
	b.grant()
	b.counts.refusedFull += uint64(n)
	return ErrFull
}

// grant gives room to as many from the head of the queue as it suffices for.
func (b *Buffer) grant() {
	for e := b.room.Front(); e != nil; e = b.room.Front() {
		w := e.Value.(*waiter)
		if !b.fits(w.n, w.size) {
			return
		}
		b.take(w.n, w.size)
		w.got = true
		b.enter(+1)
		b.room.Remove(e)
		close(w.done)
	}
}

// enter counts those who were let in, will put a document into a batch, and don't hold the lock now.
// Close waits for them. Who goes out and comes in again under one hold of the lock, as an Add does that
// waited for room and then writes to the spool, was never out for Close, which looks under the lock.
func (b *Buffer) enter(by int) {
	if b.entering += by; b.entering == 0 && b.entered != nil {
		close(b.entered)
		b.entered = nil
	}
}

// dismiss sends everybody in the queue away, when the buffer closes.
func (b *Buffer) dismiss() {
	for e := b.room.Front(); e != nil; e = b.room.Front() {
		b.room.Remove(e)
		close(e.Value.(*waiter).done)
	}
}

// release gives back the room of documents that are concluded.
func (b *Buffer) release(n int, size int64) {
	b.pending -= n
	b.bytes -= size
	b.grant()
	if b.roomy != nil && (b.pending == 0 || b.halfEmpty(0)) {
		close(b.roomy)
		b.roomy = nil
	}
	if b.pending == 0 && b.drained != nil {
		close(b.drained)
		b.drained = nil
	}
}
