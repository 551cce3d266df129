package spool

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"
)

var (
	// ErrFull: MaxBytes is reached, or the disk is full. Nothing was appended.
	ErrFull = errors.New("spool: full")
	// ErrClosed: the log was closed.
	ErrClosed = errors.New("spool: closed")
)

// Config of a Log. The zero value of a field means its default.
type Config struct {
	// Dir is the directory. It is created if it doesn't exist, and belongs to this log alone.
	Dir string
	// Name is written into each segment, to say what is in there: the collection. At most 65,535 bytes.
	Name string
	// Fsync says when records are forced to the disk: FsyncNever.
	Fsync Fsync
	// SegmentBytes is the size from which a file is followed by the next: 16 MiB, at most 1 GiB, and
	// at most a quarter of MaxBytes, since room comes back a file at a time.
	SegmentBytes int64
	// MaxBytes bounds all segments together: 1 GiB.
	MaxBytes int64
	// Logger hears of damage and of what the disk refuses: slog.Default().
	Logger *slog.Logger
}

// Log is an append-only log of documents in a directory. All its methods may be called from any
// goroutine.
type Log struct {
	cfg    Config
	lock   *os.File
	create func(path string) (file, error)

	// writing is held by the one who writes to the active segment.
	writing sync.Mutex
	active  *segment
	broken  bool // the active segment ends in bytes that were refused
	refused int  // records, since the disk last took any
	ended   bool // Close is through

	mu       sync.Mutex // never held while writing; taken after writing where both are
	group    *group     // takes records; nil while it would be empty
	segments []*segment // by base; the active one last
	bytes    int64      // of all segments, and of the group
	records  int        // appended or replayed, and not settled
	end      uint64     // position behind the last segment
	unread   int        // segments of an earlier process that are still to be replayed
	damaged  int
	closed   bool
	timer    *time.Timer // of an interval's fsync; nil while there is nothing to force

	settling sync.Mutex  // of the ack files
	acking   []*ackFile  // those that are open, the one opened last at the end
	owing    []*ackFile  // those with entries that could not be written
	unnoted  int         // records of these entries
	again    *time.Timer // until they are tried again; nil while there are none
	spare    sync.Pool   // *[]byte
}

// segment is one file of the log.
type segment struct {
	path    string
	base    uint64
	created time.Time
	file    file // nil once it is full, or from an earlier process
	size    int64
	live    int  // records not settled
	open    bool // more records may come: it is active, or not replayed to its end
	old     bool // from an earlier process, and not replayed yet
	acks    ackFile
}

// file is what the log needs of a segment's file while it is written. Tests have one on a disk that is
// full, or breaks.
type file interface {
	Write([]byte) (int, error)
	Truncate(size int64) error
	Sync() error
	Close() error
}

// createFile creates a segment's file, which must not exist.
func createFile(path string) (file, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
}

// group is a number of records that are written, and forced, together. The one who began it writes
// it; those who joined wait for that.
type group struct {
	buf  []byte
	n    int           // records
	base uint64        // position of buf[0], once written
	done chan struct{} // closed when written, or refused
	err  error
}

// Open opens the log in a directory, and locks that. What an earlier process left there is not read
// yet: see Replay. New records go to a segment of their own.
func Open(cfg Config) (*Log, error) {
	if cfg.SegmentBytes == 0 {
		cfg.SegmentBytes = 16 << 20
	}
	if cfg.MaxBytes == 0 {
		cfg.MaxBytes = 1 << 30
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	switch {
	case cfg.SegmentBytes < 1 || cfg.SegmentBytes > 1<<30:
		return nil, fmt.Errorf("spool: SegmentBytes %d: not between 1 and %d", cfg.SegmentBytes, 1<<30)
	case cfg.MaxBytes < 1:
		return nil, fmt.Errorf("spool: MaxBytes %d: less than 1", cfg.MaxBytes)
	case len(cfg.Name) > maxName:
		return nil, fmt.Errorf("spool: a name of %d bytes, at most %d", len(cfg.Name), maxName)
	}
	cfg.SegmentBytes = min(cfg.SegmentBytes, max(cfg.MaxBytes/4, 1))
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	held, err := lock(cfg.Dir)
	if err != nil {
		return nil, err
	}
	l := &Log{cfg: cfg, lock: held, create: createFile}
	if err := l.find(); err != nil {
		_ = held.Close()
		return nil, err
	}
	return l, nil
}

// find lists the segments of an earlier process.
func (l *Log) find() error {
	files, err := segmentFiles(l.cfg.Dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		s := &segment{path: f.path, base: f.base, size: f.size, created: f.created, open: true, old: true, acks: ackFile{path: ackPath(f.path)}}
		l.segments = append(l.segments, s)
		l.bytes += f.size
		// One that was killed before its header was written is empty, and its name is taken.
		l.end = max(l.end, f.base+uint64(max(f.size, 1)))
	}
	l.unread = len(files)
	return nil
}

// Append writes the records, in their order and next to each other, and sets their positions. When
// it returns nil they are written, and forced if Fsync says so. The error is ErrFull, ErrClosed, or
// wraps the system's; then none of them will ever be replayed.
//
// Many callers share one write and one fsync: while a group is being written, all who come join the
// next, and whoever came first writes it as soon as the disk is free.
func (l *Log) Append(records []Record) error {
	if len(records) == 0 {
		return nil
	}
	g, from, first, err := l.join(records)
	if errors.Is(err, ErrFull) && l.reclaim() {
		g, from, first, err = l.join(records)
	}
	if err != nil {
		return err
	}
	if first {
		// A write to the system's cache is so quick that hardly anybody would come while it runs, and
		// each record would pay for a call of its own. So those who are ready to run go first: under
		// load they join, and a lone caller loses nothing.
		runtime.Gosched()
		l.commit(g)
	} else {
		<-g.done
	}
	if g.err != nil {
		return g.err
	}
	at := g.base + uint64(from)
	for i := range records {
		records[i].Pos = at
		at += uint64(Overhead + len(records[i].Doc))
	}
	return nil
}

// join adds records to the open group, which is begun if need be. Their bytes count from here on, so
// that the limit holds.
func (l *Log) join(records []Record) (g *group, from int, first bool, err error) {
	need := int64(0)
	for _, r := range records {
		need += int64(Overhead + len(r.Doc))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return nil, 0, false, ErrClosed
	case l.bytes+need > l.cfg.MaxBytes:
		return nil, 0, false, fmt.Errorf("%w: %d of at most %d bytes", ErrFull, l.bytes, l.cfg.MaxBytes)
	}
	l.bytes += need
	if l.group == nil {
		l.group = &group{done: make(chan struct{}), buf: l.buffer()}
		first = true
	}
	g = l.group
	from = len(g.buf)
	for _, r := range records {
		g.buf = appendRecord(g.buf, r)
	}
	g.n += len(records)
	return g, from, first, nil
}

// buffer returns memory for a group.
func (l *Log) buffer() []byte {
	if p, _ := l.spare.Get().(*[]byte); p != nil {
		return (*p)[:0]
	}
	return nil
}

// commit closes the group, writes it, and wakes who waits for it.
func (l *Log) commit(g *group) {
	l.writing.Lock()
	l.mu.Lock()
	l.group = nil
	l.mu.Unlock()

	size := int64(len(g.buf))
	g.err = l.write(g)

	l.mu.Lock()
	if g.err != nil {
		l.bytes -= size
	} else {
		l.records += g.n
		l.active.live += g.n
	}
	l.mu.Unlock()
	l.writing.Unlock()
	close(g.done)

	if buf := g.buf; cap(buf) <= 1<<20 {
		l.spare.Put(&buf)
	}
}

// Close ends the log and gives back the directory. What is not settled stays for the next Open; a
// log with nothing left leaves no segment.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	if l.timer != nil {
		l.timer.Stop()
	}
	l.mu.Unlock()

	l.writing.Lock()
	defer l.writing.Unlock()
	l.ended = true
	var err error
	if l.active != nil {
		err = errors.Join(l.mend(), l.seal())
	}
	l.settling.Lock()
	l.payAcks()
	l.owing = nil // what the disk does not take now is sent again by the next process
	if l.again != nil {
		l.again.Stop()
	}
	for _, s := range l.segments {
		s.acks.close()
		s.acks.over = true
	}
	l.settling.Unlock()
	if err = errors.Join(err, l.lock.Close()); err != nil {
		return fmt.Errorf("spool: close %q: %w", l.cfg.Dir, err)
	}
	return nil
}
