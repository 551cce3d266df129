package batch

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rapidrest/rapidrest/batch/spool"
)

// dead returns a sink that reaches nothing.
func unreachable() *fake {
	return &fake{before: func(int, []int) (int, error) { return 0, errUnsent }}
}

// closeNow closes a buffer without time to deliver anything.
func closeNow(b *Buffer) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return b.Close(ctx)
}

// crash leaves a copy of a buffer's spool as a killed process would, and returns its directory.
func crash(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestSpooledDocumentsSurviveClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		b := open(t, unreachable(), Config{Name: "answers", Level: Spool, Dir: dir})
		var tickets []Ticket
		for i := range 10 {
			tickets = append(tickets, add(t, b, doc(i), Entry{}))
		}
		var left *Undelivered
		if err := closeNow(b); !errors.As(err, &left) || left.Spooled != 10 || left.Lost+left.Told+left.DeadLettered != 0 {
			t.Errorf("close: %v", err)
		}
		for _, ticket := range tickets {
			if _, err := ticket.Wait(t.Context()); !errors.Is(err, ErrLeft) {
				t.Errorf("wait: %v", err)
			}
		}
		if s := sums(t, b); s.Left != 10 {
			t.Errorf("%+v", s)
		}

		f := &fake{}
		b = open(t, f, Config{Name: "answers", Dir: dir})
		if err := b.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			if !bytes.Equal(f.stored[i], doc(i)) {
				t.Errorf("document %d: %x", i, f.stored[i])
			}
		}
		if s := sums(t, b); s.Replayed != 10 || s.Stored != 10 {
			t.Errorf("%+v", s)
		}
		if err := b.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if list, err := spool.List(dir); len(list) != 0 || err != nil {
			t.Errorf("with all delivered the spool holds %v, %v", list, err)
		}
	})
}

// A process killed at any moment: what it had let in is delivered by the next, and what it had
// delivered too, at most, comes again, for the store to say that it has it.
func TestSpooledDocumentsSurviveACrash(t *testing.T) {
	for _, delivered := range []int{0, 1, 30, 99, 100} {
		dir := t.TempDir()
		f := &fake{before: func(n int, ids []int) (int, error) {
			if n > delivered {
				return 0, errUnsent
			}
			return 0, nil
		}}
		b := open(t, f, Config{Level: Spool, Dir: dir, Size: 1, Inflight: 1})
		for i := range 100 {
			ticket := add(t, b, doc(i), Entry{})
			if i < delivered {
				outcome(t, ticket)
			}
		}
		dir = crash(t, dir)
		f.mu.Lock()
		again := &fake{stored: maps.Clone(f.stored)} // the same store, for the next process
		f.mu.Unlock()
		b = open(t, again, Config{Dir: dir})
		if err := b.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := sums(t, b)
		if again.count() != 100 || s.Rejected != 0 {
			t.Errorf("%d delivered before the crash: %d of 100 in the store, %+v", delivered, again.count(), s)
		}
		if n := int(s.Replayed); n < 100-delivered || n > 100-delivered+1 {
			t.Errorf("%d delivered before the crash: %d replayed", delivered, n)
		}
	}
}

// What is stored is noted batch by batch, so that a kill at any moment has no more of it sent again
// than was under way: those are what the store must be asked about.
func TestAKillSendsNoMoreAgainThanWasUnderWay(t *testing.T) {
	const docs, size, inflight = 1000, 10, 2
	dir := t.TempDir()
	var mu sync.Mutex
	stored, most := 0, 0
	b := open(t, sinkFunc(func(_ context.Context, batch [][]byte) ([]Outcome, error) {
		mu.Lock()
		defer mu.Unlock()
		stored += len(batch)
		inSpool := 0
		segments, err := spool.List(dir)
		if err != nil {
			t.Error(err)
		}
		for _, s := range segments {
			inSpool += s.Pending
		}
		most = max(most, inSpool-(docs-stored))
		return slices.Repeat([]Outcome{{Kind: Stored}}, len(batch)), nil
	}), Config{Level: Spool, Dir: dir, Size: size, Inflight: inflight, Linger: time.Hour})
	all := make([][]byte, docs)
	for i := range all {
		all[i] = doc(i)
	}
	if _, err := b.AddAll(all, Entry{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if stored != docs || most < size || most > size*inflight {
		t.Errorf("%d stored; at the worst moment %d stored documents would have been sent again, want %d to %d", stored, most, size, size*inflight)
	}
}

// The process dies after the store has taken a document and before the spool knows it. What a
// duplicate then means depends on whose _id it is.
func TestReplayedDuplicate(t *testing.T) {
	for _, c := range []struct {
		name  string
		entry Entry
		held  *bool
		want  Kind
	}{
		{"generated id", Entry{}, nil, Stored},
		{"chosen id, nobody to ask", Entry{Chosen: true}, nil, Stored},
		{"chosen id, the store holds this document", Entry{Chosen: true}, new(true), Stored},
		{"chosen id, the store holds another", Entry{Chosen: true}, new(false), Rejected},
		{"repeated", Entry{Chosen: true, Repeat: true}, new(false), Stored},
	} {
		dir := t.TempDir()
		first := open(t, unreachable(), Config{Level: Spool, Dir: dir})
		add(t, first, doc(1), c.entry)
		dir = crash(t, dir)

		f := &fake{stored: map[int][]byte{1: nil}}
		var sink Sink = f
		if c.held != nil {
			sink = holding{f, *c.held}
		}
		dead := deadLetter(t)
		b := open(t, sink, Config{Dir: dir, DeadLetter: dead})
		err := b.Flush(t.Context())
		s := sums(t, b)
		if got := map[bool]Kind{true: Stored, false: Rejected}[s.Stored == 1]; got != c.want || (err == nil) != (c.want == Stored) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
		if n := len(lettersOf(t, dead)); n != map[Kind]int{Stored: 0, Rejected: 1}[c.want] {
			t.Errorf("%s: %d letters", c.name, n)
		}
	}
}

// A rejected document leaves the spool when it is in the dead letter, and not before.
func TestSpoolKeepsWhatTheDeadLetterDoesNotTake(t *testing.T) {
	reject := func() *fake {
		return &fake{verdict: func(int) (Outcome, bool) { return Outcome{Kind: Rejected, Reason: "no"}, true }}
	}
	dir := t.TempDir()
	broken := deadLetter(t)
	_ = broken.Close()
	b := open(t, reject(), Config{Level: Spool, Dir: dir, DeadLetter: broken})
	add(t, b, doc(1), Entry{})
	_ = b.Flush(t.Context())
	if s := sums(t, b); s.Lost != 0 || s.DeadLettered != 0 || s.Rejected != 1 {
		t.Errorf("%+v", s)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	whole := deadLetter(t)
	b = open(t, reject(), Config{Dir: dir, DeadLetter: whole})
	_ = b.Flush(t.Context())
	if got := lettersOf(t, whole); len(got) != 1 || idOf(got[0].Document) != 1 {
		t.Errorf("%v", got)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list, err := spool.List(dir); len(list) != 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}

func TestFullSpoolRefusesAndKeepsTheRest(t *testing.T) {
	f := &fake{before: func(int, []int) (int, error) { return 0, errUnsent }}
	dir := t.TempDir()
	b := open(t, f, Config{Level: Spool, Dir: dir, SpoolBytes: 2000})
	taken := 0
	for i := range 100 {
		_, err := b.Add(doc(i))
		if err == nil {
			taken++
		} else if !errors.Is(err, ErrFull) {
			t.Fatal(err)
		}
	}
	if s := b.Stats(); taken == 0 || taken == 100 || s.Pending != taken || s.Spool.Records != taken || int(s.RefusedFull) != 100-taken {
		t.Errorf("%d taken, %+v", taken, s)
	}
	f.mu.Lock()
	f.before = nil
	f.mu.Unlock()
	if err := b.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f.count() != taken {
		t.Errorf("%d of %d stored", f.count(), taken)
	}
	add(t, b, doc(1000), Entry{}) // and there is room again
}

// A spool with more in it than memory has room for is read bit by bit, and leaves room for what is new.
func TestReplayIsBoundedByMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		b := open(t, unreachable(), Config{Level: Spool, Dir: dir, SegmentBytes: 4 << 10})
		for i := range 1000 {
			add(t, b, doc(i), Entry{})
		}
		_ = closeNow(b)

		f := unreachable()
		b = open(t, f, Config{Level: Spool, Dir: dir, Pending: 100, SegmentBytes: 4 << 10})
		synctest.Wait()
		if s := b.Stats(); s.Pending != 50 {
			t.Errorf("%d of 100 places taken by the replay", s.Pending)
		}
		for i := range 50 {
			add(t, b, doc(1000+i), Entry{})
		}
		var left *Undelivered
		if err := closeNow(b); !errors.As(err, &left) || left.Spooled != 1050 {
			t.Errorf("close in the middle of the replay: %v", err)
		}

		f = &fake{}
		b = open(t, f, Config{Dir: dir, Pending: 100, Size: 10})
		if err := b.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if f.count() != 1050 {
			t.Errorf("%d of 1050 stored", f.count())
		}
		sums(t, b)
	})
}

// One call may have documents of several levels: only those at level spool are on disk.
func TestMixedLevelsInOneCall(t *testing.T) {
	dir := t.TempDir()
	f := &fake{delay: time.Millisecond}
	b := open(t, f, Config{Dir: dir, Level: Spool})
	tickets, err := b.AddEach([][]byte{doc(1), doc(2), doc(3), doc(4)},
		[]Entry{{Level: Accept}, {Level: Spool}, {Level: Store}, {}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var spooled []int
	for r, err := range spool.Pending(dir) {
		if err != nil {
			t.Fatal(err)
		}
		spooled = append(spooled, idOf(r.Doc))
	}
	if f.count() == 0 && !reflect.DeepEqual(spooled, []int{2, 4}) {
		t.Errorf("on disk: %v", spooled)
	}
	for _, ticket := range tickets {
		outcome(t, ticket)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.order, []int{1, 2, 3, 4}) {
		t.Errorf("stored in the order %v", f.order)
	}
}

func TestSpoolIsLocked(t *testing.T) {
	dir := t.TempDir()
	b := open(t, &fake{}, Config{Dir: dir})
	if _, err := Open(&fake{}, Config{Dir: dir, Logger: quiet}); !errors.Is(err, spool.ErrLocked) {
		t.Errorf("a second buffer on the directory: %v", err)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	open(t, &fake{}, Config{Dir: dir})
	if _, err := Open(&fake{}, Config{Dir: filepath.Join(dir, "LOCK", "x"), Logger: quiet}); err == nil {
		t.Error("a directory that can't be is taken")
	}
}

// Adds that wait for room, and then for the disk, while the buffer closes: each ends one way or the
// other, and Close ends too.
func TestSpoolingRacingClose(t *testing.T) {
	for round := range 300 {
		dir := t.TempDir()
		b := open(t, &fake{}, Config{Level: Spool, Dir: dir, Pending: 2, Size: 1, FullWait: time.Minute})
		var let atomic.Int64
		var producers sync.WaitGroup
		for p := range 4 {
			producers.Go(func() {
				for i := range 5 {
					switch _, err := b.Add(doc(p*10 + i)); {
					case err == nil:
						let.Add(1)
					case !errors.Is(err, ErrClosed):
						t.Error(err)
					}
				}
			})
		}
		for b.Stats().Accepted < uint64(round%20) {
			runtime.Gosched()
		}
		var left *Undelivered
		if err := closeNow(b); err != nil && !errors.As(err, &left) {
			t.Error(err)
		}
		producers.Wait()
		if s := sums(t, b); int64(s.Accepted) != let.Load() {
			t.Errorf("%d let in, %+v", let.Load(), s)
		}
	}
}
