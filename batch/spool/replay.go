package spool

import (
	"errors"
	"io/fs"
	"iter"
	"os"
)

// Replay yields the records that an earlier process left unsettled, in their order. Call it once. A
// record's document stays valid for as long as it is held.
//
// A segment is read as a whole when its turn comes. Bytes in it that are no record are reported to
// the logger and set aside in a file of their own beside it, named SEGMENT-OFFSET.bad; the records
// behind them are found again and yielded. A tail that was cut short by the end of the process, or
// of the power, is cut off: nobody was told that it had been appended.
//
// A loop that ends early leaves the rest for the next process.
func (l *Log) Replay() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		l.mu.Lock()
		var old []*segment
		for _, s := range l.segments {
			if s.old {
				old = append(old, s)
			}
		}
		l.mu.Unlock()
		for _, s := range old {
			if !l.replay(s, yield) {
				return
			}
		}
	}
}

// Unread returns the number of segments that Replay has not been through yet.
func (l *Log) Unread() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unread
}

// replay yields the records of one segment, and says whether the loop goes on.
func (l *Log) replay(s *segment, yield func(Record) bool) bool {
	data, acked, err := readSegment(s.path)
	if err != nil {
		l.cfg.Logger.Error("spool: segment not read; it stays where it is", "segment", s.path, "error", err)
		l.mu.Lock()
		l.damaged++
		l.unread--
		l.mu.Unlock()
		return true
	}
	if h, _, err := readHeader(data); err == nil {
		l.mu.Lock()
		s.created = h.created
		l.mu.Unlock()
	}
	on, safe := true, true
	scan(data, func(r Record, off, end int) bool {
		if covers(acked, off, end) {
			return true
		}
		r.Pos = s.base + uint64(off)
		l.mu.Lock()
		s.live++
		l.records++
		l.mu.Unlock()
		on = yield(r)
		return on
	}, func(d damage) {
		if err := l.setAside(s, data, d); err != nil {
			l.cfg.Logger.Error("spool: bad bytes not set aside; the segment stays", "segment", s.path, "error", err)
			safe = false
		}
	})
	if !on {
		return false
	}
	l.mu.Lock()
	s.old = false
	s.open = !safe
	l.unread--
	settled := s.live == 0 && safe
	l.mu.Unlock()
	if settled {
		l.remove(s)
	}
	return true
}

// readSegment reads a segment and what is settled in it.
func readSegment(path string) (data []byte, acked []span, err error) {
	if data, err = os.ReadFile(path); err != nil {
		return nil, nil, err
	}
	acks, err := os.ReadFile(ackPath(path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	return data, readAcks(acks), nil
}

// setAside saves bad bytes, unless they are but a write that was cut short, and cuts off a bad tail.
func (l *Log) setAside(s *segment, data []byte, d damage) error {
	l.cfg.Logger.Error("spool: damage", "segment", s.path, "what", d.String())
	if !d.torn {
		l.mu.Lock()
		l.damaged++
		l.mu.Unlock()
		if err := os.WriteFile(badPath(s.path, d.from), data[d.from:d.to], 0o600); err != nil {
			return err
		}
	}
	if !d.tail {
		return nil
	}
	if err := os.Truncate(s.path, int64(d.from)); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bytes -= int64(d.to - d.from)
	s.size -= int64(d.to - d.from)
	return nil
}
