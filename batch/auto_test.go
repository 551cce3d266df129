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

// model is a store as the literature measures it: a batch costs a fixed time and one for each
// document, and past some size more than that. Attempts share one disk, a part of the fixed time
// (the way there and back) excepted. Times vary by a few percent at random.
type model struct {
	mu     sync.Mutex // of what can be changed while it runs
	trip   time.Duration
	fixed  time.Duration
	each   time.Duration
	spoils int // from this size on every document costs twice
	noise  float64

	disk chan struct{}
	rand *rand.Rand
	docs int
}

func (m *model) Insert(_ context.Context, docs [][]byte) ([]Outcome, error) {
	m.mu.Lock()
	trip, busy := m.trip, m.busy(len(docs))
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

func (m *model) busy(n int) time.Duration {
	d := m.fixed + time.Duration(n)*m.each
	if m.spoils > 0 && n > m.spoils {
		d += time.Duration(n-m.spoils) * m.each
	}
	return d
}

// rate is what the model stores in a second in batches of n, with its disk always busy.
func (m *model) rate(n int) float64 { return float64(n) / m.busy(n).Seconds() }

// best is the highest rate of a fixed size.
func (m *model) best() float64 {
	best := 0.0
	for n := 1; n <= 4096; n *= 2 {
		best = max(best, m.rate(n))
	}
	return best
}

// Models after the embedded database's figures with SQLite and PostgreSQL behind it, and one that
// gains nothing from batches.
func sqlite() *model {
	return &model{trip: 100 * time.Microsecond, fixed: 420 * time.Microsecond, each: 22 * time.Microsecond}
}
func postgres() *model {
	return &model{trip: 200 * time.Microsecond, fixed: 2 * time.Millisecond, each: 50 * time.Microsecond, spoils: 300}
}
func flat() *model {
	return &model{trip: 10 * time.Microsecond, fixed: time.Microsecond, each: 50 * time.Microsecond}
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
	for name, store := range map[string]func() *model{"sqlite": sqlite, "postgres": postgres, "flat": flat} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					m := store()
					m.noise, m.disk, m.rand = 0.05, make(chan struct{}, 1), rand.New(rand.NewPCG(seed, 5))
					b := open(t, m, Config{Size: Auto, Level: Accept, Pending: 20_000, FullWait: time.Hour})
					load(t, b)
					time.Sleep(10 * time.Second)
					if got, best := m.measured(2*time.Second), m.best(); got < 0.95*best {
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
		m := sqlite()
		m.noise, m.disk, m.rand = 0.03, make(chan struct{}, 1), rand.New(rand.NewPCG(1, 2))
		b := open(t, m, Config{Size: Auto, Level: Accept, Pending: 20_000, FullWait: time.Hour})
		load(t, b)
		for _, fixed := range []time.Duration{420 * time.Microsecond, 20 * time.Millisecond, 420 * time.Microsecond} {
			m.mu.Lock()
			m.fixed = fixed
			m.mu.Unlock()
			time.Sleep(20 * time.Second)
			if got, best := m.measured(4*time.Second), m.best(); got < 0.95*best {
				t.Errorf("a batch costs %v: %.0f documents a second, at best %.0f: %+v", fixed, got, best, *b.Stats().Auto)
			}
		}
	})
}

// With less to send than a batch holds, the size is left alone.
func TestAutoRestsWithoutLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := sqlite()
		m.disk, m.rand = make(chan struct{}, 1), rand.New(rand.NewPCG(1, 2))
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
		b.size = 10
		b.mu.Unlock()
		if err := b.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		next := 0
		for i, ids := range f.attempts() {
			if i > 0 && len(ids) > autoStart {
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
