package spool

import (
	"slices"
	"time"
)

// Settled names a record that need not be sent again.
type Settled struct {
	Pos  uint64 // Record.Pos
	Size int    // len(Record.Doc)
}

// Settle notes that records are settled. They aren't replayed any more, and a segment all of whose
// records are settled is removed. Settle each record once. The slice is sorted in place.
func (l *Log) Settle(done []Settled) {
	slices.SortFunc(done, func(a, b Settled) int {
		switch {
		case a.Pos < b.Pos:
			return -1
		case a.Pos > b.Pos:
			return 1
		}
		return 0
	})
	for len(done) > 0 {
		s, n := l.locate(done)
		if s != nil {
			l.settle(s, done[:n])
		}
		done = done[n:]
	}
}

// locate returns the segment of the first of the records, and how many of them lie in it. There is
// always one: a segment with unsettled records is never removed.
func (l *Log) locate(done []Settled) (*segment, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, exact := slices.BinarySearchFunc(l.segments, done[0].Pos, func(s *segment, pos uint64) int {
		switch {
		case s.base < pos:
			return -1
		case s.base > pos:
			return 1
		}
		return 0
	})
	if exact || i == 0 {
		return nil, 1
	}
	n := len(done)
	if i < len(l.segments) {
		next := l.segments[i].base
		for n = 1; n < len(done) && done[n].Pos < next; n++ {
		}
	}
	return l.segments[i-1], n
}

// settle settles records of one segment.
//
// The count falls first. Who brings it to zero in a segment that is closed removes the files, and
// then no entry is needed. Otherwise the entry is written; should the segment be removed in between
// by somebody else, the ack file knows that it is over, and doesn't come back to life.
func (l *Log) settle(s *segment, done []Settled) {
	l.mu.Lock()
	s.live -= len(done)
	l.records -= len(done)
	gone := s.live == 0 && !s.open
	l.mu.Unlock()
	if gone {
		l.remove(s)
		return
	}
	var entries []byte
	for i := 0; i < len(done); {
		at := span{from: uint32(done[i].Pos - s.base)}
		at.to = at.from
		for ; i < len(done) && uint32(done[i].Pos-s.base) == at.to; i++ {
			at.to += uint32(Overhead + done[i].Size)
		}
		entries = at.append(entries)
	}
	l.settling.Lock()
	defer l.settling.Unlock()
	l.admitAcks(&s.acks)
	if err := s.acks.write(entries); err != nil {
		l.owe(&s.acks, len(done), err)
	} else if len(l.owing) > 0 {
		l.payAcks() // there is room again, it seems
	}
}

// owePause is how long entries that a disk did not take wait to be tried again.
const owePause = time.Second

// owe keeps what could not be written to an ack file, as on a full disk, and has it tried again.
// Until then the records look unsettled: a crash has them sent once more.
func (l *Log) owe(a *ackFile, records int, err error) {
	if len(l.owing) == 0 {
		l.cfg.Logger.Warn("spool: not noted yet that records are settled; after a crash they would be sent again", "file", a.path, "error", err)
	}
	l.unnoted += records
	if !slices.Contains(l.owing, a) {
		l.owing = append(l.owing, a)
	}
	if l.again == nil {
		l.again = time.AfterFunc(owePause, func() {
			l.settling.Lock()
			defer l.settling.Unlock()
			l.payAcks()
			if len(l.owing) > 0 {
				l.again.Reset(owePause)
			} else {
				l.again = nil
			}
		})
	}
}

// payAcks writes what is owed, as far as the disk takes it. It is called with settling held. A file
// whose segment is gone, or whose log is closed, owes nothing.
func (l *Log) payAcks() {
	if len(l.owing) == 0 {
		return
	}
	l.owing = slices.DeleteFunc(l.owing, func(a *ackFile) bool {
		if !a.over {
			l.admitAcks(a)
		}
		return a.write(nil) == nil
	})
	if len(l.owing) == 0 {
		l.cfg.Logger.Info("spool: noted which records are settled", "late", l.unnoted)
		l.unnoted = 0
	}
}

// admitAcks makes a place for one more among the few ack files that are kept open. Mostly the same
// one or two are written: those of the segments that records went to a moment ago.
func (l *Log) admitAcks(a *ackFile) {
	const most = 8
	if a.file != nil {
		return
	}
	if len(l.acking) == most {
		l.acking[0].close()
		l.acking = slices.Delete(l.acking, 0, 1)
	}
	l.acking = append(l.acking, a)
}
