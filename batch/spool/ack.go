package spool

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"slices"
)

// Beside each segment lies a file of what is settled in it: entries of
//
//	from uint32 | to uint32 | crc32c uint32
//
// each saying that the records between two offsets of the segment need not be sent again. An entry
// is written when the outcome is known, and never forced to the disk: one that is lost costs a
// second attempt, which the store answers with "exists already", and no document.
const ackSize = 12

// span is a stretch of a segment, from one offset to before another.
type span struct{ from, to uint32 }

func (s span) append(dst []byte) []byte {
	at := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, s.from)
	dst = binary.LittleEndian.AppendUint32(dst, s.to)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[at:], castagnoli))
}

// readAcks reads entries, sorts them and joins those that touch. An entry that isn't good is
// skipped, and so is an incomplete one at the end.
func readAcks(data []byte) []span {
	var spans []span
	for ; len(data) >= ackSize; data = data[ackSize:] {
		s := span{binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])}
		if s.from < s.to && binary.LittleEndian.Uint32(data[8:]) == crc32.Checksum(data[:8], castagnoli) {
			spans = append(spans, s)
		}
	}
	return join(spans)
}

// join sorts spans and joins those that touch, in place.
func join(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int {
		switch {
		case a.from < b.from:
			return -1
		case a.from > b.from:
			return 1
		}
		return 0
	})
	joined := spans[:0]
	for _, s := range spans {
		if n := len(joined); n > 0 && s.from <= joined[n-1].to {
			joined[n-1].to = max(joined[n-1].to, s.to)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// covers says whether the record from off to end is settled. spans are sorted and joined.
func covers(spans []span, off, end int) bool {
	i, found := slices.BinarySearchFunc(spans, uint32(off), func(s span, at uint32) int {
		switch {
		case s.to <= at:
			return -1
		case s.from > at:
			return 1
		}
		return 0
	})
	return found && uint32(end) <= spans[i].to
}

// ackFile is the file beside a segment, opened when it is first needed.
type ackFile struct {
	path   string
	file   *os.File
	size   int64
	owed   []byte // entries that are still to be written
	broken bool   // an entry could neither be written whole nor taken back
	over   bool   // the segment is gone, or the log closed
}

// write appends entries, behind those that could not be written before. With an error all of them
// are owed.
func (a *ackFile) write(entries []byte) error {
	a.owed = append(a.owed, entries...)
	err := a.pay()
	if err == nil {
		a.owed = a.owed[:0]
	}
	return err
}

// pay writes what is owed.
func (a *ackFile) pay() error {
	if a.broken || a.over || len(a.owed) == 0 {
		return nil
	}
	if a.file == nil {
		f, err := os.OpenFile(a.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err == nil {
			a.size = info.Size() - info.Size()%ackSize
			err = f.Truncate(a.size) // an entry cut short would put all behind it out of step
		}
		if err != nil {
			_ = f.Close()
			return err
		}
		a.file = f
	}
	if _, err := a.file.Write(a.owed); err != nil {
		a.broken = a.file.Truncate(a.size) != nil
		return err
	}
	a.size += int64(len(a.owed))
	return nil
}

func (a *ackFile) close() {
	if a.file != nil {
		_ = a.file.Close()
		a.file = nil
	}
}
