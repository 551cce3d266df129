package batch

import (
	"context"
	"errors"
	"reflect"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A store that can't be reached: level Store is refused at once from the second attempt on, the other
// levels aren't, and all that was taken is stored when the store is back.
func TestDownStoreRefusesLevelStoreAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		f := &fake{before: func(int, []int) (int, error) {
			if up.Load() {
				return 0, nil
			}
			return 0, errUnsent
		}}
		var heard []bool
		b := open(t, f, Config{Hooks: Hooks{Health: func(_ string, down bool, _ error) { heard = append(heard, down) }}})
		first := add(t, b, doc(0), Entry{})
		time.Sleep(time.Second)
		if s := b.Stats(); !s.Down || s.LastFault == "" {
			t.Fatalf("after a second of refused connections: %+v", s)
		}
		start := time.Now()
		if _, err := b.AddWith(doc(1), Entry{Level: Store}); !errors.Is(err, ErrDown) || time.Since(start) != 0 {
			t.Errorf("level store: %v after %v", err, time.Since(start))
		}
		add(t, b, doc(2), Entry{Level: Accept})
		up.Store(true)
		if o := outcome(t, first); o.Kind != Stored {
			t.Error(o)
		}
		if back := time.Since(start); back > b.cfg.BackoffMax {
			t.Errorf("found again after %v", back)
		}
		if o := outcome(t, add(t, b, doc(3), Entry{})); o.Kind != Stored {
			t.Error(o)
		}
		if err := b.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		if s := sums(t, b); s.Stored != 3 || s.RefusedDown != 1 || s.Down {
			t.Errorf("%+v", s)
		}
		synctest.Wait() // hooks are called after the outcomes are told
		if !reflect.DeepEqual(heard, []bool{true, false}) {
			t.Errorf("the hook heard %v", heard)
		}
	})
}

// With nothing pending, the next document is the probe: a buffer can't stay down for ever.
func TestDownBufferWithNothingPendingTriesTheNextDocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		f := &fake{before: func(int, []int) (int, error) {
			if up.Load() {
				return 0, nil
			}
			return 0, errUnsent
		}}
		b := open(t, f, Config{Deadline: 2 * time.Second})
		if o := outcome(t, add(t, b, doc(0), Entry{})); o.Kind != Failed {
			t.Fatal(o)
		}
		_ = b.Flush(t.Context())
		if s := b.Stats(); !s.Down || s.Pending != 0 {
			t.Fatalf("%+v", s)
		}
		up.Store(true)
		if o := outcome(t, add(t, b, doc(1), Entry{})); o.Kind != Stored {
			t.Error(o)
		}
		sums(t, b)
	})
}

// A store that is frozen takes connections and answers nothing: it is down as well.
func TestFrozenStoreIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := sinkFunc(func(ctx context.Context, docs [][]byte) ([]Outcome, error) {
			<-ctx.Done()
			return nil, &Fault{Ambiguous, ctx.Err()}
		})
		b := open(t, f, Config{AttemptTimeout: time.Second})
		add(t, b, doc(0), Entry{})
		time.Sleep(2500 * time.Millisecond)
		if _, err := b.Add(doc(1)); !errors.Is(err, ErrDown) {
			t.Errorf("after two attempts without an answer: %v", err)
		}
	})
}

// Hang-ups aren't an outage: a server that hangs up at one document takes the others.
func TestHangupsAreNotDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{before: func(int, []int) (int, error) { return 0, errHangup }}
		b := open(t, f, Config{})
		add(t, b, doc(0), Entry{})
		time.Sleep(time.Minute)
		if _, err := b.Add(doc(1)); err != nil {
			t.Error(err)
		}
	})
}

func TestOneProbeAtATimeWhileDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var under, most atomic.Int32
		f := sinkFunc(func(context.Context, [][]byte) ([]Outcome, error) {
			n := under.Add(1)
			defer under.Add(-1)
			time.Sleep(100 * time.Millisecond)
			most.Store(max(n, most.Load()))
			return nil, errUnsent
		})
		b := open(t, f, Config{Size: 1, Inflight: 8, Level: Accept})
		for i := range 100 {
			add(t, b, doc(i), Entry{})
		}
		time.Sleep(time.Second)
		most.Store(0)
		time.Sleep(time.Minute)
		if most.Load() != 1 {
			t.Errorf("%d attempts at once against a store that is down", most.Load())
		}
	})
}

func TestDeadlineIsKeptToATenth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{before: func(int, []int) (int, error) { return 0, errUnsent }}
		dead := deadLetter(t)
		b := open(t, f, Config{Deadline: 10 * time.Second, Level: Accept, Size: 1000, DeadLetter: dead})
		var tickets []Ticket
		var at []time.Time
		for i := range 40 {
			tickets = append(tickets, add(t, b, doc(i), Entry{}))
			at = append(at, time.Now())
			time.Sleep(500 * time.Millisecond)
		}
		for i, ticket := range tickets {
			o := outcome(t, ticket)
			took := time.Since(at[i])
			if o.Kind != Failed || i > 30 && (took < 9*time.Second-b.cfg.Linger || took > 10*time.Second+b.cfg.Linger) {
				t.Errorf("document %d: %v after %v", i, o, took)
			}
		}
		if s := sums(t, b); s.Failed != 40 {
			t.Errorf("%+v", s)
		}
	})
}

func TestDeadlineReachesUntriedBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{before: func(int, []int) (int, error) { return 0, errUnsent }}
		b := open(t, f, Config{Deadline: 3 * time.Second, Level: Accept, Size: 10})
		for i := range 500 {
			add(t, b, doc(i), Entry{})
		}
		time.Sleep(3100 * time.Millisecond)
		if s := sums(t, b); s.Failed != 500 {
			t.Errorf("%+v", s)
		}
	})
}

func TestBackoffStaysInItsBounds(t *testing.T) {
	cfg := Config{BackoffMin: 10 * time.Millisecond, BackoffMax: time.Second}
	for n, top := range map[int]time.Duration{1: 10, 2: 20, 3: 40, 7: 640, 8: 1000, 40: 1000, 1000: 1000} {
		seen := map[time.Duration]bool{}
		for range 100 {
			d := cfg.backoff(n)
			if d < top*time.Millisecond/2 || d > top*time.Millisecond {
				t.Errorf("after %d failures: %v", n, d)
			}
			seen[d] = true
		}
		if len(seen) < 10 {
			t.Errorf("after %d failures there is no jitter: %v", n, seen)
		}
	}
}

func TestSinkThatPanicsOrMiscountsIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		f := sinkFunc(func(ctx context.Context, docs [][]byte) ([]Outcome, error) {
			switch n++; n {
			case 1:
				panic("oops")
			case 2:
				return []Outcome{{Kind: Stored}}, nil
			}
			return null{}.Insert(ctx, docs)
		})
		b := open(t, f, Config{})
		for i, o := range addAndWait(t, b, 3) {
			if o.Kind != Stored {
				t.Errorf("document %d: %v", i, o)
			}
		}
	})
}
