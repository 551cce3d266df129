package baseline

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// ledger is an insert that remembers the sizes of its batches.
type ledger struct {
	mu    sync.Mutex
	sizes map[string][]int
}

func (l *ledger) insert(collection string, docs []any) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sizes == nil {
		l.sizes = make(map[string][]int)
	}
	l.sizes[collection] = append(l.sizes[collection], len(docs))
	return 0
}

func (l *ledger) count(collection string) (docs int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.sizes[collection] {
		docs += n
	}
	return docs
}

func mustAdd(t *testing.T, b *buffer, collection string, n int) {
	t.Helper()
	for range n {
		if err := b.add(collection, bson.Raw{}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBufferSendsAFullBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l ledger
		b := newBuffer(3, time.Hour, 1, l.insert)
		mustAdd(t, b, "a", 7)
		synctest.Wait()
		if got := l.count("a"); got != 6 {
			t.Errorf("%d documents sent, want two batches of 3", got)
		}
		if lost, err := b.close(context.Background()); lost != 0 || err != nil {
			t.Errorf("close: %d lost, error %v", lost, err)
		}
	})
}

// Lesson 7: no timer and no flush at shutdown left the last documents in memory.
func TestLesson07_LingerAndCloseSendTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l ledger
		b := newBuffer(12, 5*time.Millisecond, 2, l.insert)
		mustAdd(t, b, "a", 1)
		time.Sleep(5 * time.Millisecond) // the bubble's clock
		synctest.Wait()
		if got := l.count("a"); got != 1 {
			t.Errorf("%d documents sent after the linger time, want 1", got)
		}
		mustAdd(t, b, "a", 30_000)
		mustAdd(t, b, "b", 5)
		if lost, err := b.close(context.Background()); lost != 0 || err != nil {
			t.Errorf("close: %d lost, error %v", lost, err)
		}
		if a, b := l.count("a"), l.count("b"); a != 30_001 || b != 5 {
			t.Errorf("%d and %d documents sent, want 30001 and 5", a, b)
		}
	})
}

func TestBufferCountsWhatIsLost(t *testing.T) {
	b := newBuffer(2, time.Hour, 1, func(_ string, docs []any) int { return 1 })
	mustAdd(t, b, "a", 5) // batches of 2, 2 and 1
	if lost, err := b.close(context.Background()); lost != 3 || err != nil {
		t.Errorf("close: %d lost, error %v; want 3 and none", lost, err)
	}
}

func TestCloseGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		b := newBuffer(2, time.Hour, 1, func(string, []any) int { <-stuck; return 0 })
		mustAdd(t, b, "a", 3)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		lost, err := b.close(ctx)
		if lost != 3 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("close: %d lost, error %v; want 3 and a deadline", lost, err)
		}
		close(stuck)
	})
}

// Lesson 30: Add racing Close. Every document that add took is sent.
func TestLesson30_AddRacesClose(t *testing.T) {
	for range 500 {
		var l ledger
		b := newBuffer(3, time.Microsecond, 2, l.insert)
		var adders sync.WaitGroup
		var taken atomic.Int64
		started := make(chan struct{}, 4)
		for range 4 {
			adders.Go(func() {
				for range 50 {
					if b.add("a", bson.Raw{}) != nil {
						return
					}
					if taken.Add(1) == 10 {
						started <- struct{}{}
					}
				}
			})
		}
		<-started
		if lost, err := b.close(context.Background()); lost != 0 || err != nil {
			t.Fatalf("close: %d lost, error %v", lost, err)
		}
		adders.Wait()
		if got := l.count("a"); got != int(taken.Load()) {
			t.Fatalf("%d documents sent, %d taken", got, taken.Load())
		}
	}
}
