package batch

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/rapidrest/rapidrest/batch/spool"
)

// Level says when a document counts as taken. The zero Level means the buffer's default.
type Level uint8

const (
	// Accept: the document is in memory. It is lost if the process dies.
	Accept Level = iota + 1
	// Spool: the document is in the log on disk. It survives the death of the process.
	Spool
	// Store: the document's outcome is awaited. Who adds at this level promises to call
	// Ticket.Wait: a rejection goes to the waiter, not to the dead letter.
	Store
)

// String returns "accept", "spool" or "store".
func (l Level) String() string {
	switch l {
	case 0:
		return "default"
	case Accept:
		return "accept"
	case Spool:
		return "spool"
	case Store:
		return "store"
	}
	return fmt.Sprintf("Level(%d)", uint8(l))
}

// Auto as Config.Size lets the buffer find the batch size while it runs.
const Auto = -1

// Limits of MongoDB's wire protocol, as its hello command reports them.
const (
	// MaxDocument is the largest document a server takes, in bytes (maxBsonObjectSize).
	MaxDocument = 16 << 20
	// MaxSize is the largest number of documents in one insert (maxWriteBatchSize).
	MaxSize = 100_000
	// MaxBytes is the largest batch in bytes: maxMessageSizeBytes, 48,000,000, less room for the
	// command around the documents.
	MaxBytes = 48_000_000 - 16<<10
)

// Config of a Buffer. The zero value is good: each field's default is named beside it.
type Config struct {
	// Name is the collection's name, in errors, logs, statistics and the dead letter.
	Name string

	// Size is the number of documents at which a batch closes: 100, at most MaxSize. Auto finds it.
	Size int
	// Bytes is the size in bytes at which a batch closes: 8 MiB, at most MaxBytes. A document larger
	// than that travels alone.
	Bytes int
	// Linger is how long a batch nobody waits for stays open for company: 5 ms. Negative: not at all.
	Linger time.Duration
	// Inflight is the number of batches under way at once: 2.
	Inflight int

	// Pending bounds the documents in memory, those under way included: 100,000.
	Pending int
	// PendingBytes bounds the same in bytes: 128 MiB.
	PendingBytes int64
	// FullWait is how long Add waits for room in a full buffer before it refuses: not at all.
	FullWait time.Duration

	// Level is the level of documents that are added without one: Store.
	Level Level

	// AttemptTimeout bounds one attempt: 10 s.
	AttemptTimeout time.Duration
	// Deadline bounds the time from admission to outcome; past it a document has failed. None by
	// default: delivery goes on while the process lives. It is kept to within a tenth where a
	// flusher is idle; an attempt under way is not cut short by it.
	Deadline time.Duration
	// BackoffMin and BackoffMax bound the pause between attempts, which doubles from one to the
	// other and is then spread over its upper half at random: 25 ms and 2 s.
	BackoffMin, BackoffMax time.Duration
	// Patience is how long a document at which the server hangs up has the benefit of the doubt
	// before it is rejected: 5 s. Whatever it is, a document is rejected for that reason only when
	// it stood alone and the server answered others between its attempts.
	Patience time.Duration
	// DownAfter is the number of attempts in a row that find no server before the store counts as
	// down and level Store refuses: 2.
	DownAfter int

	// Dir is the directory of this buffer's spool; "" for a buffer without level Spool. It may hold
	// what an earlier process left: that is delivered first.
	Dir string
	// Fsync says when the spool reaches the disk itself: spool.FsyncNever.
	Fsync spool.Fsync
	// SpoolBytes bounds the spool on disk: 1 GiB. SegmentBytes is the size of one of its files: 16 MiB.
	SpoolBytes, SegmentBytes int64

	// DeadLetter takes documents that ended badly while nobody waited. It may be shared between
	// buffers; the buffer doesn't close it. Nil: such documents are only counted and logged.
	DeadLetter *DeadLetter
	// Hooks are called on events; each may be nil.
	Hooks Hooks
	// Logger hears of retries, dead letters and a store that goes down or comes back: slog.Default().
	Logger *slog.Logger
}

// withDefaults returns the configuration with every zero field filled in, or what is wrong with it.
func (c Config) withDefaults() (Config, error) {
	def(&c.Size, 100)
	def(&c.Bytes, 8<<20)
	def(&c.Linger, 5*time.Millisecond)
	def(&c.Inflight, 2)
	def(&c.Pending, 100_000)
	def(&c.PendingBytes, 128<<20)
	def(&c.Level, Store)
	def(&c.AttemptTimeout, 10*time.Second)
	def(&c.BackoffMin, 25*time.Millisecond)
	def(&c.BackoffMax, max(2*time.Second, c.BackoffMin))
	def(&c.Patience, 5*time.Second)
	def(&c.DownAfter, 2)
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Name != "" {
		c.Logger = c.Logger.With("collection", c.Name)
	}
	switch {
	case c.Size != Auto && (c.Size < 1 || c.Size > MaxSize):
		return c, fmt.Errorf("batch: Size %d: not between 1 and %d", c.Size, MaxSize)
	case c.Bytes < 1 || c.Bytes > MaxBytes:
		return c, fmt.Errorf("batch: Bytes %d: not between 1 and %d", c.Bytes, MaxBytes)
	case c.Inflight < 1:
		return c, fmt.Errorf("batch: Inflight %d: less than 1", c.Inflight)
	case c.Pending < 1 || c.PendingBytes < 1:
		return c, fmt.Errorf("batch: Pending %d, PendingBytes %d: less than 1", c.Pending, c.PendingBytes)
	case c.Level > Store:
		return c, fmt.Errorf("batch: Level %d: there are three", c.Level)
	case c.Level == Spool && c.Dir == "":
		return c, fmt.Errorf("batch: Level spool of %q: no Dir to spool to", c.Name)
	case c.AttemptTimeout < 0 || c.Deadline < 0 || c.FullWait < 0 || c.Patience < 0:
		return c, fmt.Errorf("batch: a negative AttemptTimeout, Deadline, FullWait or Patience")
	case c.BackoffMin < 0 || c.BackoffMax < c.BackoffMin:
		return c, fmt.Errorf("batch: BackoffMin %v, BackoffMax %v: not a range", c.BackoffMin, c.BackoffMax)
	}
	return c, nil
}

// def sets a field that was left zero to its default.
func def[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
