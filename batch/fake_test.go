package batch

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// quiet is a logger that nobody reads.
var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// doc returns the document {_id: id, p: padding}, built by the driver.
func doc(id int, padding ...int) []byte {
	pad := ""
	for _, n := range padding {
		pad = strings.Repeat("x", n)
	}
	raw, err := bson.Marshal(bson.D{{Key: "_id", Value: int32(id)}, {Key: "p", Value: pad}})
	if err != nil {
		panic(err)
	}
	return raw
}

// idOf reads _id back, from its fixed place in what doc builds.
func idOf(raw []byte) int { return int(int32(binary.LittleEndian.Uint32(raw[9:]))) }

// fake is a store in memory. It keeps copies of what it is given, by _id, and answers as before
// tells it to: a non-nil error fails the attempt, after which as much was stored as the hook chose.
type fake struct {
	mu      sync.Mutex
	stored  map[int][]byte
	order   []int   // ids in the order of their storing
	batches [][]int // ids of each attempt
	took    []time.Time

	delay   time.Duration
	before  func(n int, ids []int) (stored int, err error) // n counts attempts from 1
	verdict func(id int) (Outcome, bool)                   // overrules the outcome of a document
}

func (f *fake) Insert(ctx context.Context, docs [][]byte) ([]Outcome, error) {
	ids := make([]int, len(docs))
	for i, d := range docs {
		ids[i] = idOf(d)
	}
	if f.delay > 0 {
		select {
		case <-time.After(f.delay):
		case <-ctx.Done():
			return nil, &Fault{Ambiguous, ctx.Err()}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.batches = append(f.batches, ids)
	f.took = append(f.took, time.Now())
	n, err := len(docs), error(nil)
	if f.before != nil {
		if n, err = f.before(len(f.batches), ids); err == nil {
			n = len(docs)
		}
	}
	outcomes := make([]Outcome, len(docs))
	for i, d := range docs[:n] {
		outcomes[i] = f.put(ids[i], d)
	}
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}

func (f *fake) put(id int, d []byte) Outcome {
	if f.verdict != nil {
		if o, ok := f.verdict(id); ok {
			return o
		}
	}
	if _, ok := f.stored[id]; ok {
		return Outcome{Kind: Rejected, Code: 11000, Duplicate: true, DuplicateID: true, Reason: "E11000"}
	}
	if f.stored == nil {
		f.stored = make(map[int][]byte)
	}
	f.stored[id] = slices.Clone(d)
	f.order = append(f.order, id)
	return Outcome{Kind: Stored}
}

func (f *fake) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.stored)
}

func (f *fake) attempts() [][]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.batches)
}

// The faults of a sink, as a store names them.
var (
	errUnsent = &Fault{Unsent, errors.New("connection refused")}
	errHangup = &Fault{Ambiguous, errors.New("EOF")}
)

// open opens a buffer on sink for a test, and closes it at the end if the test did not.
func open(t testing.TB, sink Sink, cfg Config) *Buffer {
	t.Helper()
	if cfg.Logger == nil {
		cfg.Logger = quiet
	}
	b, err := Open(sink, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = b.Close(ctx)
	})
	return b
}

// add adds a document that must be let in.
func add(t testing.TB, b *Buffer, d []byte, e Entry) Ticket {
	t.Helper()
	ticket, err := b.AddWith(d, e)
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

// outcome waits for a ticket's outcome.
func outcome(t testing.TB, ticket Ticket) Outcome {
	t.Helper()
	o, err := ticket.Wait(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// sums fails unless every accepted document has its one outcome. Waiters hear it first, and the sums come
// last: Flush waits for these too, whatever they are. A closed buffer has come to its sums.
func sums(t testing.TB, b *Buffer) Stats {
	t.Helper()
	_ = b.Flush(t.Context())
	s := b.Stats()
	if s.Pending != 0 || s.PendingBytes != 0 || s.Accepted != s.Stored+s.Rejected+s.Failed+s.Left {
		t.Fatalf("outcomes don't add up: %+v", s)
	}
	return s
}
