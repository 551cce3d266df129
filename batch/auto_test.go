package batch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// model is a sink that takes the time that its terms name, a few percent more or less at random.
type model struct {
	mu    sync.Mutex // of what can be changed while it runs
	terms terms
	noise float64

	disk chan struct{}
	rand *rand.Rand
	docs int
}

func newModel(name string, seed uint64) *model {
	return &model{terms: stores[name], noise: 0.03, disk: make(chan struct{}, 1), rand: rand.New(rand.NewPCG(seed, 5))}
}

func (m *model) Insert(_ context.Context, docs [][]byte) ([]Outcome, error) {
	m.mu.Lock()
	trip, busy := m.terms.trip, m.terms.busy(len(docs))
	busy = time.Duration(float64(busy) * (1 + m.noise*(2*m.rand.Float64()-1)))
	m.mu.Unlock()
	time.Sleep(trip)
	m.disk <- struct{}{}
	time.Sleep(busy)
	<-m.disk
	m.mu.Lock()
	m.docs += len(docs)
	m.mu.Unlock()
	return null{}.Insert(context.Background(), docs)
}

// load keeps a buffer full until the test is through.
func load(t *testing.T, b *Buffer) {
	docs := make([][]byte, 50)
	for i := range docs {
		docs[i] = doc237
	}
	var running sync.WaitGroup
	running.Go(func() {
		var tickets []Ticket
		for {
			var err error
			if tickets, err = b.AddAll(docs, Entry{}, tickets[:0]); err != nil {
				return
			}
		}
	})
	t.Cleanup(func() {
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
		running.Wait()
	})
}

// measured runs for d and returns the documents stored in a second of it.
func (m *model) measured(d time.Duration) float64 {
	m.mu.Lock()
	before := m.docs
	m.mu.Unlock()
	time.Sleep(d)
	m.mu.Lock()
	defer m.mu.Unlock()
	return float64(m.docs-before) / d.Seconds()
}

func TestAutoFindsTheSizeWithinTenSeconds(t *testing.T) {
	for _, name := range []string{"sqlite", "spoils", "flat"} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					m := newModel(name, seed)
					b := open(t, m, Config{Size: Auto, Level: Accept, Pending: 20_000, FullWait: time.Hour})
					load(t, b)
					time.Sleep(10 * time.Second)
					if got, best := m.measured(10*time.Second), m.terms.best(2); got < 0.95*best {
						t.Errorf("%.0f documents a second, the best fixed size has %.0f: %+v", got, best, *b.Stats().Auto)
					}
				})
			})
		}
	}
}

// The database becomes slow and then fast again; the size follows.
func TestAutoFollowsTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel("sqlite", 1)
		b := open(t, m, Config{Size: Auto, Level: Accept, Pending: 20_000, FullWait: time.Hour})
		load(t, b)
		for _, fixed := range []time.Duration{420 * time.Microsecond, 20 * time.Millisecond, 420 * time.Microsecond} {
			m.mu.Lock()
			m.terms.fixed = fixed
			m.mu.Unlock()
			time.Sleep(20 * time.Second)
			if got, best := m.measured(10*time.Second), m.terms.best(2); got < 0.95*best {
				t.Errorf("a batch costs %v: %.0f documents a second, at best %.0f: %+v", fixed, got, best, *b.Stats().Auto)
			}
		}
	})
}

// With less to send than a batch holds, the size is left alone.
func TestAutoRestsWithoutLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel("sqlite", 1)
		b := open(t, m, Config{Size: Auto, Level: Store})
		for range 5000 {
			outcome(t, add(t, b, doc237, Entry{}))
		}
		if s := b.Stats().Auto; s.Size != autoStart || s.Rounds != 0 || s.Binding {
			t.Errorf("%+v", *s)
		}
	})
}

// A large backlog doesn't delay what a change of size brings about: it is cut when it is sent.
func TestAutoCutsWhenItSends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{delay: time.Second}
		b := open(t, f, Config{Size: Auto, Inflight: 1, Level: Accept, Pending: 10_000})
		for i := range 500 {
			add(t, b, doc(i), Entry{})
		}
		b.mu.Lock()
		b.size, b.auto.size, b.auto.most = 10, 10, 10
		b.mu.Unlock()
		if err := b.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		next := 0
		for i, ids := range f.attempts() {
			if i > 0 && len(ids) > 10 {
				t.Errorf("attempt %d has %d documents", i, len(ids))
			}
			for _, id := range ids {
				if id != next {
					t.Fatalf("document %d, expected %d", id, next)
				}
				next++
			}
		}
		if next != 500 {
			t.Errorf("%d of 500", next)
		}
		sums(t, b)
	})
}
