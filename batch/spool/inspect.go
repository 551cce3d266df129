package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Stats is a picture of a log at one moment.
type Stats struct {
	Bytes    int64     // of all segments
	Segments int       // files
	Records  int       // not settled; without those in segments not read yet
	Unread   int       // segments of an earlier process that are still to be replayed
	Damaged  int       // stretches of bad bytes that were met and set aside
	Oldest   time.Time // when the oldest segment was begun; zero without one
}

// Stats returns the log's state.
func (l *Log) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Stats{Bytes: l.bytes, Segments: len(l.segments), Records: l.records, Unread: l.unread, Damaged: l.damaged}
	if len(l.segments) > 0 {
		s.Oldest = l.segments[0].created
	}
	return s
}

// Segment describes one file of a spool.
type Segment struct {
	Path    string
	Base    uint64
	Name    string    // the collection's; "" where the header is damaged
	Created time.Time // zero where the header is damaged
	Bytes   int64
	Records int      // good ones
	Pending int      // of these, not settled
	Damage  []string // what is wrong with it, in words
	Torn    bool     // the only damage is a tail cut short, as a crash leaves it
}

// List describes the segments of a directory, in their order. It reads all of them, changes
// nothing, and takes no lock: of a log that is in use it shows a moment.
func List(dir string) ([]Segment, error) {
	files, err := segmentFiles(dir)
	if err != nil {
		return nil, err
	}
	var list []Segment
	for _, f := range files {
		s, err := describe(f)
		if errors.Is(err, fs.ErrNotExist) {
			continue // settled just now
		}
		if err != nil {
			return list, fmt.Errorf("spool: %w", err)
		}
		list = append(list, s)
	}
	return list, nil
}

func describe(f segmentFile) (Segment, error) {
	data, acked, err := readSegment(f.path)
	if err != nil {
		return Segment{}, err
	}
	s := Segment{Path: f.path, Base: f.base, Bytes: int64(len(data))}
	if h, _, err := readHeader(data); err == nil {
		s.Name, s.Created = h.name, h.created
	}
	torn := 0
	scan(data, func(_ Record, off, end int) bool {
		s.Records++
		if !covers(acked, off, end) {
			s.Pending++
		}
		return true
	}, func(d damage) {
		s.Damage = append(s.Damage, d.String())
		if d.torn {
			torn++
		}
	})
	s.Torn = torn > 0 && torn == len(s.Damage)
	return s, nil
}

// ErrDamaged is what Verify returns where a spool holds bytes that are no record.
var ErrDamaged = errors.New("spool: damaged")

// Verify reads every segment of a directory and returns an error that names all damage, nil if
// there is none. A tail cut short, as a crash leaves it, is none. Bytes that an earlier replay has set
// aside are damage for as long as their file is there.
func Verify(dir string) error {
	list, err := List(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, s := range list {
		if !s.Torn {
			for _, d := range s.Damage {
				errs = append(errs, fmt.Errorf("%w: %s: %s", ErrDamaged, s.Path, d))
			}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), badSuffix) {
			errs = append(errs, fmt.Errorf("%w: set aside in %s", ErrDamaged, filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(errs...)
}

// Pending yields the unsettled records of a directory, in their order, without changing anything or
// taking the lock. An error ends it.
func Pending(dir string) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		files, err := segmentFiles(dir)
		if err != nil {
			yield(Record{}, err)
			return
		}
		for _, f := range files {
			data, acked, err := readSegment(f.path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				yield(Record{}, fmt.Errorf("spool: %w", err))
				return
			}
			on := true
			scan(data, func(r Record, off, end int) bool {
				if !covers(acked, off, end) {
					r.Pos = f.base + uint64(off)
					on = yield(r, nil)
				}
				return on
			}, func(damage) {})
			if !on {
				return
			}
		}
	}
}
