package spool

import (
	"fmt"
	"time"
)

// Fsync says when appended records are forced from the system's cache to the disk itself. A record
// that was only written survives the death of the process; one that was forced survives power loss.
// A positive value is an interval: at most that much is lost with the power.
type Fsync time.Duration

const (
	// FsyncNever leaves it to the system.
	FsyncNever Fsync = 0
	// FsyncBatch forces every group of records before any of them counts as appended.
	FsyncBatch Fsync = -1
)

// ParseFsync reads "never", "batch" or a positive duration such as "100ms".
func ParseFsync(s string) (Fsync, error) {
	switch s {
	case "never":
		return FsyncNever, nil
	case "batch":
		return FsyncBatch, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("spool: fsync %q: not never, batch or a positive duration", s)
	}
	return Fsync(d), nil
}

// String returns what ParseFsync reads.
func (f Fsync) String() string {
	switch f {
	case FsyncNever:
		return "never"
	case FsyncBatch:
		return "batch"
	}
	return time.Duration(f).String()
}

// UnmarshalText reads what ParseFsync reads, for flags and configuration files.
func (f *Fsync) UnmarshalText(text []byte) (err error) {
	*f, err = ParseFsync(string(text))
	return err
}
