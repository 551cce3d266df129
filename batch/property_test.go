package batch

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// storm is a store with every fault there is, at random: it refuses connections, hangs up before and
// after it has stored something, answers late or never, asks for another attempt, rejects, and
// panics. It knows what it has stored.
type storm struct {
	mu     sync.Mutex
	rand   *rand.Rand
	fierce float64
	stored map[int]int // id to number of times
}

func (s *storm) Insert(ctx context.Context, docs [][]byte) ([]Outcome, error) {
	s.mu.Lock()
	dice, late, until := s.rand.Float64()/s.fierce, time.Duration(s.rand.IntN(20))*time.Millisecond, s.rand.IntN(len(docs)+1)
	s.mu.Unlock()
	time.Sleep(late)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case dice < 0.1:
		return nil, errUnsent
	case dice < 0.2:
		s.put(docs[:until])
		return nil, errHangup
	case dice < 0.25:
		s.put(docs)
		s.mu.Unlock()
		<-ctx.Done()
		s.mu.Lock()
		return nil, ctx.Err()
	case dice < 0.3:
		s.put(docs[:until])
		panic("storm")
	case dice < 0.32:
		return nil, &Fault{Refused, errors.New("no")}
	}
	outcomes := s.put(docs)
	for i := range outcomes {
		if id := idOf(docs[i]); id%50 == 7 {
			outcomes[i] = Outcome{Kind: Rejected, Code: 121, Reason: "seven"}
		}
	}
	return outcomes, nil
}

func (s *storm) Holds(_ context.Context, docs [][]byte) ([]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := make([]bool, len(docs))
	for i, d := range docs {
		if s.rand.IntN(20) == 0 {
			return held[:i], errors.New("no more answers")
		}
		held[i] = s.stored[idOf(d)] > 0
	}
	return held, nil
}

func (s *storm) put(docs [][]byte) []Outcome {
	outcomes := make([]Outcome, len(docs))
	for i, d := range docs {
		id := idOf(d)
		switch {
		case id%50 == 7:
		case s.stored[id] > 0:
			outcomes[i] = Outcome{Kind: Rejected, Code: 11000, Duplicate: true, DuplicateID: true}
		case s.rand.IntN(20) == 0:
			outcomes[i] = Outcome{Kind: Rejected, Retry: true, Reason: "again"}
		default:
			s.stored[id]++
			outcomes[i] = Outcome{Kind: Stored}
		}
	}
	return outcomes
}

// Whatever happens: each document that was let in has one outcome, the outcomes add up, what is said
// to be stored is stored, and what is stored is not said to be rejected.
func TestOutcomesAlwaysAddUp(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 29))
			s := &storm{rand: rand.New(rand.NewPCG(seed, 41)), fierce: r.Float64() * 2, stored: map[int]int{}}
			cfg := Config{
				Level: Accept, Size: 1 + r.IntN(40), Inflight: 1 + r.IntN(4), Pending: 10 + r.IntN(400),
				PendingBytes: int64(4000 + r.IntN(40_000)), AttemptTimeout: 100 * time.Millisecond,
				FullWait: time.Duration(r.IntN(2)) * 50 * time.Millisecond, DeadLetter: deadLetter(t),
			}
			if r.IntN(3) == 0 {
				cfg.Deadline = time.Duration(1+r.IntN(3000)) * time.Millisecond
			}
			if r.IntN(3) == 0 {
				cfg.Size = Auto
			}
			if r.IntN(2) == 0 {
				cfg.Dir = t.TempDir()
			}
			b := open(t, s, cfg)
			told := &sync.Map{}
			var let atomic.Int64
			var producers sync.WaitGroup
			for p := range 4 {
				producers.Go(func() { produce(b, rand.New(rand.NewPCG(seed, uint64(p))), p, cfg.Dir != "", told, &let) })
			}
			producers.Wait()
			closing := t.Context()
			if r.IntN(2) == 0 {
				var cancel context.CancelFunc
				closing, cancel = context.WithTimeout(closing, time.Duration(r.IntN(500))*time.Millisecond)
				defer cancel()
			}
			err := b.Close(closing)
			synctest.Wait()
			checkStorm(t, b, s, told, let.Load(), err)
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// produce adds documents of all levels and notes what it is told of them, by id.
func produce(b *Buffer, r *rand.Rand, p int, spooled bool, told *sync.Map, let *atomic.Int64) {
	var waiting sync.WaitGroup
	defer waiting.Wait()
	for i := range 150 {
		id := p*1000 + i
		level := []Level{Accept, Store, Spool}[r.IntN(3)]
		if level == Spool && !spooled {
			level = Accept
		}
		ticket, err := b.AddWith(doc(id, r.IntN(100)), Entry{Level: level})
		if err != nil {
			continue
		}
		let.Add(1)
		patience := time.Hour
		if r.IntN(4) == 0 {
			patience = time.Duration(r.IntN(50)) * time.Millisecond
		}
		if level == Store || r.IntN(4) == 0 {
			waiting.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				defer cancel()
				if o, err := ticket.Wait(ctx); err == nil {
					told.Store(id, o)
				}
			})
		}
		if r.IntN(10) == 0 {
			time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
		}
	}
}

func checkStorm(t *testing.T, b *Buffer, store *storm, told *sync.Map, let int64, closeErr error) {
	s := sums(t, b)
	if int64(s.Accepted) != let {
		t.Errorf("%d let in, %d counted", let, s.Accepted)
	}
	var u *Undelivered
	switch {
	case errors.As(closeErr, &u):
		if s.Left != uint64(u.Spooled) {
			t.Errorf("close says %v, the counters %+v", u, s)
		}
	case closeErr != nil:
		t.Error(closeErr)
	case s.Left > 0:
		t.Errorf("%d left, and close says nothing", s.Left)
	}
	if s.Lost > 0 {
		t.Errorf("%d lost", s.Lost)
	}
	store.mu.Lock()
	defer store.mu.Unlock()
	for id, n := range store.stored {
		if n != 1 {
			t.Errorf("document %d is stored %d times", id, n)
		}
	}
	told.Range(func(id, o any) bool {
		switch o := o.(Outcome); {
		case o.Kind == Stored && store.stored[id.(int)] == 0:
			t.Errorf("document %v is said to be stored and isn't", id)
		case o.Kind == Rejected && store.stored[id.(int)] != 0 && !strings.HasPrefix(o.Reason, "refused"):
			t.Errorf("document %v is stored and said to be rejected: %v", id, o)
		}
		return true
	})
	if b.cfg.Dir != "" && s.Left == 0 {
		entries, err := os.ReadDir(b.cfg.Dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("nothing is left, and the spool holds %v, %v", entries, err)
		}
	}
}
