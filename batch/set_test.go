package batch

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func newSet(t testing.TB, limits Limits, sink func(name string) (Sink, error)) *Set {
	t.Helper()
	s := NewSet(func(name string) (Sink, Config, error) {
		k, err := sink(name)
		return k, Config{Logger: quiet}, err
	}, limits)
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

func nullSink(string) (Sink, error) { return null{}, nil }

func TestSetOpensEachBufferOnce(t *testing.T) {
	var opened atomic.Int32
	s := newSet(t, Limits{}, func(string) (Sink, error) { opened.Add(1); return null{}, nil })
	var callers sync.WaitGroup
	buffers := make([]*Buffer, 50)
	for i := range buffers {
		callers.Go(func() {
			b, err := s.Buffer(fmt.Sprint("c", i%2))
			if err != nil {
				t.Error(err)
			}
			buffers[i] = b
		})
	}
	callers.Wait()
	for i, b := range buffers {
		if b != buffers[i%2] {
			t.Fatal("two buffers of one name")
		}
	}
	if opened.Load() != 2 {
		t.Errorf("opened %d times", opened.Load())
	}
	var names []string
	for _, stats := range s.Stats() {
		names = append(names, stats.Name)
	}
	if !reflect.DeepEqual(names, []string{"c0", "c1"}) {
		t.Errorf("stats of %v", names)
	}
}

func TestSetIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		s := newSet(t, Limits{Buffers: 2}, func(string) (Sink, error) {
			return sinkFunc(func(ctx context.Context, docs [][]byte) ([]Outcome, error) {
				<-block
				return null{}.Insert(ctx, docs)
			}), nil
		})
		busy, err := s.Buffer("busy")
		if err != nil {
			t.Fatal(err)
		}
		add(t, busy, doc(1), Entry{})
		idle, err := s.Buffer("idle")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Buffer("more"); !errors.Is(err, ErrTooMany) {
			t.Errorf("with one busy and one just asked for: %v", err)
		}
		time.Sleep(2 * time.Second)
		if _, err := s.Buffer("more"); err != nil {
			t.Errorf("with one idle: %v", err)
		}
		synctest.Wait()
		if _, err := idle.Add(doc(2)); !errors.Is(err, ErrClosed) {
			t.Errorf("the idle one is still open: %v", err)
		}
		if again, err := s.Buffer("busy"); again != busy {
			t.Errorf("the busy one was closed: %v", err)
		}
		close(block)
	})
}

func TestSetClosesIdleBuffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSet(t, Limits{Idle: time.Minute}, nullSink)
		first, err := s.Buffer("a")
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if len(s.Stats()) != 0 {
			t.Error("an idle buffer stays")
		}
		second, err := s.Buffer("a")
		if err != nil || second == first {
			t.Errorf("the closed buffer was handed out: %v", err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestSetTriesAgainWhatDidNotOpen(t *testing.T) {
	fails := true
	s := newSet(t, Limits{}, func(string) (Sink, error) {
		if fails {
			return nil, errors.New("not now")
		}
		return null{}, nil
	})
	if _, err := s.Buffer("a"); err == nil {
		t.Fatal("no error")
	}
	fails = false
	if _, err := s.Buffer("a"); err != nil {
		t.Error(err)
	}
}

func TestClosedSetHandsOutNothing(t *testing.T) {
	s := newSet(t, Limits{}, func(string) (Sink, error) { return unreachable(), nil })
	b, err := s.Buffer("a")
	if err != nil {
		t.Fatal(err)
	}
	add(t, b, doc(1), Entry{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var left *Undelivered
	if err := s.Close(ctx); !errors.As(err, &left) || left.Told != 1 {
		t.Errorf("close: %v", err)
	}
	for _, name := range []string{"b", "a"} {
		if _, err := s.Buffer(name); name == "b" && !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSetBufferRacingClose(t *testing.T) {
	for range 500 {
		s := newSet(t, Limits{}, nullSink)
		var callers sync.WaitGroup
		for i := range 3 {
			callers.Go(func() {
				b, err := s.Buffer(fmt.Sprint(i))
				if err == nil {
					_, err = b.AddWith(doc(i), Entry{Level: Accept})
				}
				if err != nil && !errors.Is(err, ErrClosed) {
					t.Error(err)
				}
			})
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
		callers.Wait()
	}
}
