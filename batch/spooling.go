package batch

import (
	"errors"
	"fmt"

	"github.com/rapidrest/rapidrest/batch/spool"
)

// openSpool opens the log and begins to send what an earlier process left in it.
func (b *Buffer) openSpool() error {
	log, err := spool.Open(spool.Config{
		Dir: b.cfg.Dir, Name: b.cfg.Name, Fsync: b.cfg.Fsync, SegmentBytes: b.cfg.SegmentBytes,
		MaxBytes: b.cfg.SpoolBytes, Logger: b.cfg.Logger,
	})
	if err != nil {
		return fmt.Errorf("batch: open %q: %w", b.cfg.Name, err)
	}
	b.log = log
	b.replayed = make(chan struct{})
	if log.Unread() == 0 {
		close(b.replayed)
		return nil
	}
	b.entering = 1 // nobody else knows the buffer yet
	go b.replay()
	return nil
}

// write appends records to the spool for a call that has reserved room for n documents of size
// bytes, and gives the room back if that fails. It is called and returns with the lock held, but
// lets go of it to write.
//
// Room comes first and the disk second, so that a document which is on disk has its place in memory:
// what was refused for want of room is not sent at the next start.
func (b *Buffer) write(records []spool.Record, n int, size int64) error {
	b.enter(+1)
	b.mu.Unlock()
	err := b.log.Append(records)
	b.mu.Lock()
	b.enter(-1)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, spool.ErrFull):
		err = fmt.Errorf("%w: %w", ErrFull, err)
		b.counts.refusedFull += uint64(n)
	default:
		err = fmt.Errorf("%w: %w", ErrSpool, err)
		b.counts.refusedSpool += uint64(n)
	}
	b.release(n, size)
	return err
}

// replay puts what an earlier process left in the spool into batches, as memory allows. It takes no
// more than half of the room, so that new documents are let in beside it.
func (b *Buffer) replay() {
	defer func() {
		close(b.replayed)
		b.mu.Lock()
		b.enter(-1)
		b.mu.Unlock()
	}()
	n := 0
	for r := range b.log.Replay() {
		if !b.readmit(r) {
			return
		}
		n++
	}
	b.cfg.Logger.Info("batch: the spool of an earlier process is read", "documents", n)
}

// readmit puts one replayed record into the open batch when there is room for it, and says whether
// to go on.
func (b *Buffer) readmit(r spool.Record) bool {
	size := int64(len(r.Doc))
	own := large(r.Doc)
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.closing {
		if b.pending == 0 || b.halfEmpty(size) {
			b.take(1, size)
			b.counts.replayed++
			b.put(r.Doc, own, mark(Spool)|mark(r.Flags)&(chosen|repeat)|replayed, r.Pos)
			b.joined()
			return true
		}
		roomy := make(chan struct{})
		b.roomy = roomy
		b.mu.Unlock()
		select {
		case <-roomy:
		case <-b.stop:
		}
		b.mu.Lock()
	}
	return false
}

// halfEmpty says that with size bytes more no more than half of the room is taken.
func (b *Buffer) halfEmpty(size int64) bool {
	return b.pending < max(1, b.cfg.Pending/2) && b.bytes+size <= b.cfg.PendingBytes/2
}

// acknowledge tells the spool which of c's documents it need not keep: those with an outcome, but not
// those that are in no other place: left by Close, or bad with the dead letter not written. It
// returns how many of the second it keeps.
func (b *Buffer) acknowledge(c *cargo, outcomes []Outcome, unwritten []int) (kept int) {
	if len(c.seqs) == 0 {
		return 0
	}
	done := make([]spool.Settled, 0, len(outcomes))
	for i, o := range outcomes {
		if len(unwritten) > 0 && unwritten[0] == i {
			unwritten = unwritten[1:]
			if c.seq(i) != 0 {
				kept++
			}
			continue
		}
		if o.Kind != 0 && o.Kind != left && c.seq(i) != 0 {
			done = append(done, spool.Settled{Pos: c.seq(i), Size: len(c.docs[i])})
		}
	}
	b.log.Settle(done)
	return kept
}

// closeSpool closes the log and returns how many documents are in it that were never read.
func (b *Buffer) closeSpool() (unread int, err error) {
	if b.log == nil {
		return 0, nil
	}
	if b.log.Unread() > 0 {
		segments, listErr := spool.List(b.cfg.Dir)
		err = listErr
		for _, s := range segments {
			unread += s.Pending
		}
	}
	return unread, errors.Join(err, b.log.Close())
}
