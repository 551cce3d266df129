package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"
)

// write appends a group to the active segment, and tells the logger when that begins to fail and
// when it works again. A full disk refuses every group, hundreds a second, and its own log file may
// lie on it.
func (l *Log) write(g *group) error {
	if l.ended {
		return ErrClosed
	}
	err := l.put(g)
	switch {
	case err != nil:
		if l.refused == 0 {
			l.cfg.Logger.Error("spool: the disk refuses records", "dir", l.cfg.Dir, "error", err)
		}
		l.refused += g.n
	case l.refused > 0:
		l.cfg.Logger.Info("spool: the disk takes records again", "dir", l.cfg.Dir, "refused", l.refused)
		l.refused = 0
	}
	return err
}

// put is write without the logging. Whatever goes wrong, the segment afterwards ends where it ended
// before: records that were refused must not come back at the next start.
func (l *Log) put(g *group) error {
	if err := l.ready(); err != nil {
		return diskError(err)
	}
	s := l.active
	_, err := s.file.Write(g.buf)
	if err == nil && l.cfg.Fsync == FsyncBatch {
		err = s.file.Sync()
	}
	if err != nil {
		l.broken = true
		return errors.Join(diskError(err), l.mend())
	}
	g.base = s.base + uint64(s.size)
	s.size += int64(len(g.buf))
	if l.cfg.Fsync > 0 {
		l.forceLater()
	}
	return nil
}

// mend cuts refused bytes off the active segment.
func (l *Log) mend() error {
	if !l.broken {
		return nil
	}
	s := l.active
	if err := s.file.Truncate(s.size); err != nil {
		return err
	}
	l.broken = false
	return nil
}

// ready sees to it that the active segment takes records: that there is one, that it is not full,
// and that it ends where it should.
func (l *Log) ready() error {
	if err := l.mend(); err != nil {
		return err
	}
	if l.active != nil && l.active.size < l.cfg.SegmentBytes {
		return nil
	}
	if l.active != nil {
		if err := l.seal(); err != nil {
			return err
		}
	}
	return l.begin()
}

// begin creates the next segment.
func (l *Log) begin() error {
	l.mu.Lock()
	base := l.end
	l.mu.Unlock()
	now := time.Now()
	s := &segment{path: segmentPath(l.cfg.Dir, base), base: base, created: now, open: true}
	s.acks.path = ackPath(s.path)
	// A process that dies while it removes a segment may leave the ack file. It would say of our
	// records what was said of others.
	if err := os.Remove(s.acks.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	head := header{base: base, created: now, name: l.cfg.Name}.append(nil)
	f, err := l.create(s.path)
	if err != nil {
		return err
	}
	_, err = f.Write(head)
	if err == nil && l.cfg.Fsync != FsyncNever {
		err = errors.Join(f.Sync(), syncDir(l.cfg.Dir))
	}
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(s.path))
	}
	s.file, s.size = f, int64(len(head))
	l.mu.Lock()
	l.active = s
	l.segments = append(l.segments, s)
	l.bytes += s.size
	l.mu.Unlock()
	return nil
}

// seal ends the active segment.
func (l *Log) seal() error {
	s := l.active
	if l.cfg.Fsync != FsyncNever {
		if err := s.file.Sync(); err != nil {
			return err
		}
	}
	err := s.file.Close()
	l.mu.Lock()
	s.file, s.open = nil, false
	l.end = s.base + uint64(s.size)
	l.active = nil
	settled := s.live == 0
	l.mu.Unlock()
	if settled {
		l.remove(s)
	}
	return err
}

// reclaim removes the active segment if all of its records are settled, and says whether it did. It
// is called when the log is full: an active segment waits to be filled otherwise, settled or not.
func (l *Log) reclaim() bool {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	settled := l.active != nil && l.active.live == 0
	l.mu.Unlock()
	return settled && l.mend() == nil && l.seal() == nil
}

// forceLater forces the active segment when the interval is over, unless that is under way.
func (l *Log) forceLater() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil && !l.closed {
		l.timer = time.AfterFunc(time.Duration(l.cfg.Fsync), l.force)
	}
}

// force forces the active segment to the disk. One that was sealed since was forced then.
func (l *Log) force() {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	l.timer = nil
	l.mu.Unlock()
	if l.active == nil || l.active.file == nil {
		return
	}
	if err := l.active.file.Sync(); err != nil {
		l.cfg.Logger.Error("spool: fsync", "dir", l.cfg.Dir, "error", err)
	}
}

// diskError makes ErrFull of a full disk.
func diskError(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return fmt.Errorf("spool: %w", err)
}

// syncDir forces a directory's entries to the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// remove deletes a segment with nothing left in it. The segment goes first: the ack file alone says
// nothing, but a segment without its ack file would be sent again as a whole.
func (l *Log) remove(s *segment) {
	l.settling.Lock()
	s.acks.close()
	s.acks.over = true
	l.settling.Unlock()
	for _, path := range []string{s.path, s.acks.path} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.cfg.Logger.Error("spool: remove", "error", err)
			return
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.segments, s); i >= 0 {
		l.segments = slices.Delete(l.segments, i, i+1)
		l.bytes -= s.size
	}
}
