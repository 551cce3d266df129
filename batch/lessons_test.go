package batch

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
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
)

func TestLesson7_WhatDoesNotFillABatchIsSent(t *testing.T) {
	for _, size := range []int{7, 10, 12} {
		f := &fake{}
		b := open(t, f, Config{Size: size, Linger: time.Hour, Level: Accept})
		for i := range 3000 {
			add(t, b, doc(i), Entry{})
		}
		if err := b.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if f.count() != 3000 {
			t.Errorf("size %d: %d of 3000 stored", size, f.count())
		}
		sums(t, b)
	}
}

func TestLesson7_StoredIsNotSaidBeforeItIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{delay: time.Second}
		b := open(t, f, Config{})
		start := time.Now()
		if o := outcome(t, add(t, b, doc(1), Entry{})); o.Kind != Stored || time.Since(start) != time.Second {
			t.Errorf("%v after %v", o, time.Since(start))
		}
	})
}

func TestLesson29_DocumentThatTriggersAFailingFlushIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{before: func(n int, _ []int) (int, error) {
			if n <= 3 {
				return 0, errUnsent
			}
			return 0, nil
		}}
		b := open(t, f, Config{Size: 3, Level: Accept})
		for i := range 3 {
			add(t, b, doc(i), Entry{})
		}
		if err := b.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if f.count() != 3 {
			t.Errorf("%d of 3 stored", f.count())
		}
	})
}

func TestLesson29_WaitersHearAFailedRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{before: func(int, []int) (int, error) {
			return 0, &Fault{Refused, errors.New("not authorized")}
		}}
		b := open(t, f, Config{})
		tickets, err := b.AddAll([][]byte{doc(1), doc(2), doc(3)}, Entry{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, ticket := range tickets {
			if o := outcome(t, ticket); o.Kind != Rejected || o.Reason != "refused: not authorized" {
				t.Error(o)
			}
		}
		if s := sums(t, b); s.DeadLettered+s.Lost != 0 {
			t.Errorf("their waiters heard it, and still: %+v", s)
		}
	})
}

func TestLesson29_FlushSaysWhatWasNotStored(t *testing.T) {
	f := &fake{stored: map[int][]byte{2: nil}}
	b := open(t, f, Config{Level: Accept})
	for i := range 4 {
		add(t, b, doc(i), Entry{})
	}
	var bad *Unstored
	if err := b.Flush(t.Context()); !errors.As(err, &bad) || bad.Rejected != 1 || bad.Failed != 0 {
		t.Errorf("flush with one document rejected: %v", err)
	}
}

func TestLesson30_AddRacingClose(t *testing.T) {
	for round := range 3000 {
		f := &fake{}
		b := open(t, f, Config{Size: 3, Linger: time.Hour, Level: Accept})
		var taken atomic.Int64
		var producers sync.WaitGroup
		for p := range 3 {
			producers.Go(func() {
				for i := range 5 {
					switch _, err := b.Add(doc(p*10 + i)); {
					case err == nil:
						taken.Add(1)
					case !errors.Is(err, ErrClosed):
						t.Errorf("round %d: %v", round, err)
					}
				}
			})
		}
		if err := b.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		producers.Wait()
		if int64(f.count()) != taken.Load() {
			t.Fatalf("round %d: %d let in, %d stored", round, taken.Load(), f.count())
		}
		sums(t, b)
	}
}

func TestLesson31_DatabaseDownMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		f := &fake{before: func(int, []int) (int, error) {
			if up.Load() {
				return 0, nil
			}
			return 0, errUnsent
		}}
		b := open(t, f, Config{Pending: 1000, Level: Accept})
		taken := 0
		for i := range 5000 {
			_, err := b.Add(doc(i))
			if err == nil {
				taken++
			} else if !errors.Is(err, ErrFull) {
				t.Fatal(err)
			}
		}
		if taken != 1000 {
			t.Errorf("%d taken with Pending 1000", taken)
		}
		time.Sleep(time.Hour)
		if n := len(f.attempts()); n > 2+2*3600 {
			t.Errorf("%d attempts in an hour of outage: it doesn't back off", n)
		}
		up.Store(true)
		if err := b.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := sums(t, b); s.Stored != 1000 || s.RefusedFull != 4000 {
			t.Errorf("%+v", s)
		}
	})
}

func TestLesson31_ItStopsWhileTheDatabaseIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{before: func(int, []int) (int, error) { return 0, errUnsent }}
		dead := deadLetter(t)
		b := open(t, f, Config{DeadLetter: dead})
		hears := add(t, b, doc(1), Entry{})
		add(t, b, doc(2), Entry{Level: Accept})
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		err := b.Close(ctx)
		if took := time.Since(start); took > 3*time.Second+grace {
			t.Errorf("took %v", took)
		}
		var left *Undelivered
		if !errors.As(err, &left) || left.DeadLettered != 1 || left.Told != 1 || left.Lost != 0 || left.Spooled != 0 || !errors.Is(err, errUnsent) {
			t.Errorf("close: %#v", err)
		}
		if o := outcome(t, hears); o.Kind != Failed {
			t.Error(o)
		}
		if got := lettersOf(t, dead); len(got) != 1 || idOf(got[0].Document) != 2 || got[0].Outcome.Kind != Failed {
			t.Errorf("dead letter: %v", got)
		}
		if s := sums(t, b); s.Failed != 2 || s.DeadLettered != 1 {
			t.Errorf("%+v", s)
		}
	})
}

func TestLesson31_ItStopsThoughTheSinkIgnoresItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		f := sinkFunc(func(context.Context, [][]byte) ([]Outcome, error) {
			<-release
			return []Outcome{{Kind: Stored}}, nil
		})
		b := open(t, f, Config{})
		ticket := add(t, b, doc(1), Entry{})
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var left *Undelivered
		if err := b.Close(ctx); !errors.As(err, &left) || left.Told != 1 {
			t.Errorf("close: %v", err)
		}
		if o := outcome(t, ticket); o.Kind != Failed {
			t.Error(o)
		}
		close(release) // and its late answer changes nothing
		synctest.Wait()
		if s := sums(t, b); s.Failed != 1 || s.Stored != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// sinkFunc is a sink that is a function.
type sinkFunc func(context.Context, [][]byte) ([]Outcome, error)

func (f sinkFunc) Insert(ctx context.Context, docs [][]byte) ([]Outcome, error) { return f(ctx, docs) }

func TestLesson31_TenThousandWaitersLeaveNothingBehind(t *testing.T) {
	// The runtime keeps the descriptors of goroutines that have ended, for the next ones. They are
	// none of ours: as many are made beforehand.
	var warm sync.WaitGroup
	gate := make(chan struct{})
	for range 11_000 {
		warm.Go(func() { <-gate })
	}
	close(gate)
	warm.Wait()

	goroutines, memory := settledState()
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		f := sinkFunc(func(ctx context.Context, docs [][]byte) ([]Outcome, error) {
			if up.Load() {
				return null{}.Insert(ctx, docs)
			}
			return nil, errUnsent
		})
		b := open(t, f, Config{Level: Accept})
		var served, gaveUp atomic.Int64
		for i := range 10_000 {
			ticket := add(t, b, doc(i, 200), Entry{})
			go func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%100)*time.Second)
				defer cancel()
				if _, err := ticket.Wait(ctx); err != nil {
					gaveUp.Add(1)
				} else {
					served.Add(1)
				}
			}()
		}
		time.Sleep(49*time.Second + time.Second/2)
		up.Store(true)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		// Those with a limit of 0 to 49 s gave up; the store is found within 2 s.
		if g, s := gaveUp.Load(), served.Load(); g+s != 10_000 || g < 5000 || g > 5200 {
			t.Errorf("%d gave up, %d served", g, s)
		}
		sums(t, b)
		if err := b.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	assertBack(t, goroutines, memory)
}

func TestThousandOpenAndCloseLeaveNothingBehind(t *testing.T) {
	goroutines, memory := settledState()
	for i := range 1000 {
		b := mustOpen(t, &fake{}, Config{Level: Accept})
		add(t, b, doc(i), Entry{})
		if err := b.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	assertBack(t, goroutines, memory)
}

// mustOpen opens a buffer that the test closes itself, so that nothing else holds on to it.
func mustOpen(t *testing.T, sink Sink, cfg Config) *Buffer {
	cfg.Logger = quiet
	b, err := Open(sink, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func settledState() (goroutines int, memory uint64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), m.HeapAlloc
}

// assertBack fails unless goroutines and memory are back to what they were, give or take 2 MB.
func assertBack(t *testing.T, goroutines int, memory uint64) {
	t.Helper()
	var g int
	var m uint64
	for range 100 {
		if g, m = settledState(); g <= goroutines && m < memory+2<<20 {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines before, %d after; %d bytes before, %d after", goroutines, g, memory, m)
}

func TestLesson32_MixedSizesDontDeadlock(t *testing.T) {
	f := &fake{}
	b := open(t, f, Config{Pending: 8, PendingBytes: 4000, Size: 3, FullWait: time.Minute, Level: Accept})
	var producers sync.WaitGroup
	for p := range 8 {
		producers.Go(func() {
			for i := range 100 {
				id := p*1000 + i
				add(t, b, doc(id, (id*37)%3900), Entry{})
			}
		})
	}
	producers.Wait()
	if err := b.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f.count() != 800 {
		t.Errorf("%d of 800 stored", f.count())
	}
	sums(t, b)
}

func TestLesson32_LargeWaiterIsNotStarvedAndSmallOnesFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{delay: time.Second}
		b := open(t, f, Config{Pending: 4, Size: 1, Inflight: 1, FullWait: time.Hour, Level: Accept})
		for i := range 4 {
			add(t, b, doc(i), Entry{})
		}
		var order []int
		var mu sync.Mutex
		enter := func(ids ...int) {
			docs := make([][]byte, len(ids))
			for i, id := range ids {
				docs[i] = doc(id)
			}
			go func() {
				if _, err := b.AddAll(docs, Entry{}, nil); err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, ids[0])
				mu.Unlock()
			}()
			synctest.Wait()
		}
		enter(10, 11, 12) // needs three places
		enter(20)         // would fit earlier, and comes later
		if err := b.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !reflect.DeepEqual(order, []int{10, 20}) {
			t.Errorf("let in in the order %v", order)
		}
	})
}

// The wait for room ends in the very moment in which room is given, and whoever gets it, none of it
// is lost.
func TestLesson32_TimeoutRacingRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{delay: time.Second}
		b := open(t, f, Config{Pending: 1, Inflight: 1, FullWait: time.Second, Level: Accept, Linger: -1})
		in, out := 0, 0
		for i := range 2000 {
			if _, err := b.Add(doc(i)); err == nil {
				in++
			} else {
				out++
			}
			if i%2 == 1 {
				_ = b.Flush(t.Context())
			}
		}
		if s := sums(t, b); int(s.Stored) != in || int(s.RefusedFull) != out || in < 1000 {
			t.Errorf("%d in, %d out, %+v", in, out, s)
		}
	})
}

func TestLesson32_FullBufferDoesNotLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := open(t, f, Config{Pending: 3, Linger: time.Hour, FullWait: time.Minute, Level: Accept})
		start := time.Now()
		for i := range 4 {
			add(t, b, doc(i), Entry{})
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("the fourth waited %v for room that lingered", took)
		}
	})
}

func TestLesson32_RetryHoldsUpNoFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{verdict: func(id int) (Outcome, bool) {
			return Outcome{Kind: Rejected, Retry: true, Reason: "later"}, id == 0
		}}
		b := open(t, f, Config{Inflight: 1})
		add(t, b, doc(0), Entry{})
		for i := 1; i < 50; i++ {
			start := time.Now()
			if o := outcome(t, add(t, b, doc(i), Entry{})); o.Kind != Stored || time.Since(start) != 0 {
				t.Fatalf("document %d: %v after %v", i, o, time.Since(start))
			}
		}
	})
}

func TestLesson33_LoneStoreWriteDoesNotLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := open(t, f, Config{Linger: time.Hour})
		start := time.Now()
		outcome(t, add(t, b, doc(1), Entry{}))
		outcome(t, add(t, b, doc(2), Entry{Level: Accept})) // by Wait it is wanted too
		if took := time.Since(start); took != 0 {
			t.Errorf("took %v", took)
		}
	})
}

func TestLesson33_LingerEndsAtALowRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		b := open(t, f, Config{Linger: 10 * time.Millisecond, Level: Accept})
		for i := range 100 {
			start := time.Now()
			add(t, b, doc(i), Entry{})
			time.Sleep(time.Second)
			f.mu.Lock()
			n, got := len(f.took), f.took[len(f.took)-1].Sub(start)
			f.mu.Unlock()
			if n != i+1 || got != 10*time.Millisecond {
				t.Fatalf("document %d was sent after %v, in attempt %d", i, got, n)
			}
		}
	})
}

func TestLesson34_DocumentOver16MiBIsRefusedAlone(t *testing.T) {
	f := &fake{}
	b := open(t, f, Config{})
	if _, err := b.Add(doc(1, MaxDocument)); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if o := outcome(t, add(t, b, doc(2, MaxDocument-100), Entry{})); o.Kind != Stored {
		t.Error(o.Kind)
	}
}

func TestLesson34_OneBadDocumentDoesNotFailItsNeighbours(t *testing.T) {
	f := &fake{verdict: func(id int) (Outcome, bool) {
		return Outcome{Kind: Rejected, Code: 121, Reason: "validation"}, id == 5
	}}
	b := open(t, f, Config{})
	kinds := addAndWait(t, b, 10)
	for id, o := range kinds {
		if want := map[bool]Kind{true: Rejected, false: Stored}[id == 5]; o.Kind != want {
			t.Errorf("document %d: %v", id, o)
		}
	}
	if len(f.attempts()) != 1 {
		t.Errorf("attempts: %v", f.attempts())
	}
}

// addAndWait adds n documents in one call and returns their outcomes.
func addAndWait(t *testing.T, b *Buffer, n int) []Outcome {
	t.Helper()
	docs := make([][]byte, n)
	for i := range docs {
		docs[i] = doc(i)
	}
	tickets, err := b.AddAll(docs, Entry{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	outcomes := make([]Outcome, n)
	for i, ticket := range tickets {
		outcomes[i] = outcome(t, ticket)
	}
	return outcomes
}

// A server that hangs up at one document, every time: the others are stored soon, those that come
// later are not held up, and the document is rejected when its Patience is over.
func TestLesson34_ServerHangsUpAtADocument(t *testing.T) {
	for _, culprits := range [][]int{{37}, {0}, {99}, {3, 4}, {0, 50, 99}} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{before: func(_ int, ids []int) (int, error) {
				for at, id := range ids {
					if slices.Contains(culprits, id) {
						return at, errHangup // those before it are stored, and nobody hears it
					}
				}
				return 0, nil
			}}
			b := open(t, pinging{f}, Config{Size: 100})
			start := time.Now()
			var docs [][]byte
			for i := range 100 {
				docs = append(docs, doc(i))
			}
			tickets, err := b.AddAll(docs, Entry{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, ticket := range tickets {
				if !slices.Contains(culprits, i) {
					if o := outcome(t, ticket); o.Kind != Stored {
						t.Errorf("%v: document %d: %v", culprits, i, o)
					}
				}
			}
			if took := time.Since(start); took > 3*time.Second {
				t.Errorf("%v: neighbours took %v", culprits, took)
			}
			for i := 100; i < 120; i++ {
				start := time.Now()
				if o := outcome(t, add(t, b, doc(i), Entry{})); o.Kind != Stored || time.Since(start) > 2*hangupPause {
					t.Errorf("%v: a later document: %v after %v", culprits, o, time.Since(start))
				}
				time.Sleep(50 * time.Millisecond)
			}
			for _, i := range culprits {
				if o := outcome(t, tickets[i]); o.Kind != Rejected {
					t.Errorf("%v: document %d: %v", culprits, i, o)
				}
			}
			if took := time.Since(start); took < b.cfg.Patience || took > 30*time.Second {
				t.Errorf("%v: rejected after %v", culprits, took)
			}
			sums(t, b)
		})
	}
}

// pinging is a fake whose server answers pings.
type pinging struct{ *fake }

func (pinging) Ping(context.Context) error { return nil }

// A connection that breaks for everybody proves nothing against a document: however long it lasts,
// none is rejected.
func TestBrokenConnectionRejectsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		f := &fake{before: func(int, []int) (int, error) {
			if up.Load() {
				return 0, nil
			}
			return 0, errHangup
		}}
		b := open(t, f, Config{Level: Accept, Size: 10})
		for i := range 1000 {
			add(t, b, doc(i), Entry{})
		}
		time.Sleep(time.Hour)
		up.Store(true)
		if err := b.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := sums(t, b); s.Stored != 1000 {
			t.Errorf("%+v", s)
		}
	})
}

func TestLesson35_DuplicateOfOurOwnWriteIsStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{before: func(n int, ids []int) (int, error) {
			if n == 1 {
				return 6, errHangup // six of ten are stored before the connection breaks
			}
			return 0, nil
		}}
		b := open(t, f, Config{})
		for i, o := range addAndWait(t, b, 10) {
			if o.Kind != Stored {
				t.Errorf("document %d: %v", i, o)
			}
		}
		if f.count() != 10 {
			t.Errorf("%d documents in the store", f.count())
		}
	})
}

func TestLesson35_ErrorWithoutFaultIsAmbiguous(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{before: func(n int, ids []int) (int, error) {
			if n == 1 {
				return 10, errors.New("who knows")
			}
			return 0, nil
		}}
		b := open(t, f, Config{})
		for i, o := range addAndWait(t, b, 10) {
			if o.Kind != Stored {
				t.Errorf("document %d: %v", i, o)
			}
		}
	})
}

func TestLesson36_DuplicateThatIsAnotherDocumentIsRejected(t *testing.T) {
	unique := Outcome{Kind: Rejected, Code: 11000, Duplicate: true}
	onID := Outcome{Kind: Rejected, Code: 11000, Duplicate: true, DuplicateID: true}
	for _, c := range []struct {
		name      string
		entry     Entry
		said      Outcome
		ambiguous bool
		held      *bool // what Holds says; nil: the sink can't be asked
		want      Kind
	}{
		{"generated id, first attempt", Entry{}, onID, false, nil, Rejected},
		{"generated id, second attempt", Entry{}, onID, true, nil, Stored},
		{"another unique index, second attempt", Entry{}, unique, true, nil, Rejected},
		{"chosen id, first attempt", Entry{Chosen: true}, onID, false, nil, Rejected},
		{"chosen id, second attempt", Entry{Chosen: true}, onID, true, nil, Rejected},
		{"chosen id, second attempt, ours", Entry{Chosen: true}, onID, true, new(true), Stored},
		{"chosen id, second attempt, another's", Entry{Chosen: true}, onID, true, new(false), Rejected},
		{"chosen id, first attempt, same document", Entry{Chosen: true}, onID, false, new(true), Rejected},
		{"repeated, first attempt", Entry{Chosen: true, Repeat: true}, onID, false, nil, Stored},
		{"repeated, another unique index", Entry{Chosen: true, Repeat: true}, unique, false, nil, Rejected},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{
				verdict: func(int) (Outcome, bool) { return c.said, true },
				before: func(n int, _ []int) (int, error) {
					if c.ambiguous && n == 1 {
						return 0, errHangup
					}
					return 0, nil
				},
			}
			var sink Sink = f
			if c.held != nil {
				sink = holding{f, *c.held}
			}
			b := open(t, sink, Config{})
			if o := outcome(t, add(t, b, doc(1), c.entry)); o.Kind != c.want {
				t.Errorf("%s: %v, want %v", c.name, o, c.want)
			}
		})
	}
}

// holding is a fake that can be asked for a document.
type holding struct {
	*fake
	held bool
}

func (h holding) Holds(_ context.Context, docs [][]byte) ([]bool, error) {
	return slices.Repeat([]bool{h.held}, len(docs)), nil
}

func TestLesson37_NoAnswerIsNoOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{before: func(n int, ids []int) (int, error) {
			if n <= 20 {
				return len(ids), errHangup // stored, and never said
			}
			return 0, nil
		}}
		b := open(t, f, Config{})
		ticket := add(t, b, doc(1), Entry{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if o, err := ticket.Wait(ctx); err == nil {
			t.Errorf("an outcome without an answer: %v", o)
		}
		if o := outcome(t, ticket); o.Kind != Stored || len(f.attempts()) != 21 {
			t.Errorf("%v after %d attempts", o, len(f.attempts()))
		}
	})
}

func TestLesson38_NoRequestsContextReachesTheSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		var left time.Duration
		f := sinkFunc(func(ctx context.Context, docs [][]byte) ([]Outcome, error) {
			if ctx.Value(key{}) != nil {
				t.Error("a request's context")
			}
			deadline, ok := ctx.Deadline()
			if !ok {
				t.Error("an attempt without a deadline")
			}
			left = time.Until(deadline)
			time.Sleep(5 * time.Second)
			if ctx.Err() != nil {
				t.Error("cancelled because a waiter gave up")
			}
			return null{}.Insert(ctx, docs)
		})
		b := open(t, f, Config{AttemptTimeout: 7 * time.Second})
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, 1), time.Second)
		defer cancel()
		ticket := add(t, b, doc(1), Entry{})
		if _, err := ticket.Wait(ctx); err == nil {
			t.Error("it can't be stored yet")
		}
		outcome(t, ticket)
		if left != 7*time.Second {
			t.Errorf("the attempt had %v", left)
		}
	})
}

// What arrives is compared byte by byte, while memory goes round between batches, attempts fail
// and batches are split.
func TestLesson39_MemoryIsNotReusedBeforeItIsSent(t *testing.T) {
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(39, 1))
	stored := map[int][]byte{}
	f := sinkFunc(func(_ context.Context, docs [][]byte) ([]Outcome, error) {
		runtime.Gosched()
		mu.Lock()
		defer mu.Unlock()
		switch r.IntN(10) {
		case 0:
			return nil, errHangup
		case 1:
			return nil, &Fault{Refused, errors.New("split it")}
		}
		outcomes := make([]Outcome, len(docs))
		for i, d := range docs {
			if outcomes[i].Kind = Stored; r.IntN(10) == 0 {
				outcomes[i] = Outcome{Kind: Rejected, Retry: true}
				continue
			}
			stored[idOf(d)] = bytes.Clone(d)
		}
		return outcomes, nil
	})
	b := open(t, f, Config{Level: Accept, Size: 10, Pending: 500, FullWait: time.Minute, BackoffMin: time.Microsecond, BackoffMax: time.Millisecond})
	size := func(id int) int { return id * 7919 % 20_000 }
	var producers sync.WaitGroup
	for p := range 4 {
		producers.Go(func() {
			for i := range 500 {
				d := doc(p*1000+i, size(p*1000+i))
				add(t, b, d, Entry{})
				clear(d)
			}
		})
	}
	producers.Wait()
	s := sums(t, b)
	if int(s.Stored) != len(stored) || s.Stored < 1000 {
		t.Errorf("%d stored, %+v", len(stored), s)
	}
	for id, got := range stored {
		if !bytes.Equal(got, doc(id, size(id))) {
			t.Errorf("document %d arrived altered", id)
		}
	}
}

func TestLesson40_RestartKeepsTheDeadLetter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dead.ndjson")
	for i := range 3 {
		d, err := OpenDeadLetter(path, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Write([]Letter{{Collection: "c", Outcome: Outcome{Kind: Rejected}, Document: doc(i)}}); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for l, err := range ReadDeadLetter(f) {
		if err != nil || idOf(l.Document) != n {
			t.Errorf("line %d: %v, %v", n, l, err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d letters of 3", n)
	}
}

func TestLesson41_RetrySendsOnlyWhatIsUndecided(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := map[int]int{}
		f := &fake{verdict: func(id int) (Outcome, bool) {
			tries[id]++
			return Outcome{Kind: Rejected, Retry: true, Reason: "busy"}, id%3 == 0 && tries[id] < 3
		}}
		b := open(t, f, Config{})
		for id, o := range addAndWait(t, b, 10) {
			if o.Kind != Stored {
				t.Errorf("document %d: %v", id, o)
			}
		}
		want := [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {0, 3, 6, 9}, {0, 3, 6, 9}}
		if got := f.attempts(); !reflect.DeepEqual(got, want) {
			t.Errorf("attempts %v, want %v", got, want)
		}
	})
}

// The server hangs up at the document and at the question whether it is there.
func TestLesson34_ServerHangsUpAtAnID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{before: func(_ int, ids []int) (int, error) {
			if slices.Contains(ids, 0) {
				return 0, errHangup
			}
			return 0, nil
		}}
		b := open(t, unbearable{f}, Config{})
		start := time.Now()
		if o := outcome(t, add(t, b, doc(0), Entry{})); o.Kind != Rejected || time.Since(start) > time.Minute {
			t.Errorf("%v after %v", o, time.Since(start))
		}
	})
}

// unbearable is a fake whose server answers pings and hangs up when it is asked for a document.
type unbearable struct{ *fake }

func (unbearable) Ping(context.Context) error                      { return nil }
func (unbearable) Holds(context.Context, [][]byte) ([]bool, error) { return nil, errHangup }

// What was stored with its answer lost every time is stored when it comes to a verdict.
func TestVerdictAsksTheStoreFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{before: func(_ int, ids []int) (int, error) { return len(ids), errHangup }}
		b := open(t, answering{holding{f, true}}, Config{})
		if o := outcome(t, add(t, b, doc(0), Entry{})); o.Kind != Stored {
			t.Error(o)
		}
	})
}

// answering is a store that can be asked for a document and answers pings.
type answering struct{ holding }

func (answering) Ping(context.Context) error { return nil }
