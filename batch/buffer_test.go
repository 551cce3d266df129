package batch

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestBatchClosesBySizeBytesAndLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		size := len(doc(0))
		b := open(t, f, Config{Size: 3, Bytes: 2*size + 1, Linger: time.Second, Level: Accept})
		for i := range 3 { // by bytes: the third doesn't fit
			add(t, b, doc(i), Entry{})
		}
		synctest.Wait()
		if got := f.attempts(); !reflect.DeepEqual(got, [][]int{{0, 1}}) {
			t.Fatalf("after three documents: %v", got)
		}
		time.Sleep(time.Second - 1)
		synctest.Wait()
		if got := f.attempts(); len(got) != 1 {
			t.Fatalf("before linger is over: %v", got)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if got := f.attempts(); !reflect.DeepEqual(got, [][]int{{0, 1}, {2}}) {
			t.Fatalf("after linger: %v", got)
		}
		sums(t, b)
	})
}

func TestBatchesGrowWhileFlushersAreBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{delay: time.Second}
		b := open(t, f, Config{Size: 4, Inflight: 1, Level: Store})
		for i := range 7 {
			add(t, b, doc(i), Entry{})
		}
		if err := b.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := [][]int{{0}, {1, 2, 3, 4}, {5, 6}}
		if got := f.attempts(); !reflect.DeepEqual(got, want) {
			t.Fatalf("batches %v, want %v", got, want)
		}
		sums(t, b)
	})
}

func TestInflightBoundsBatchesUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{delay: time.Second}
		b := open(t, f, Config{Size: 1, Inflight: 3, Level: Accept})
		for i := range 9 {
			add(t, b, doc(i), Entry{})
		}
		start := time.Now()
		if err := b.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("nine attempts of 1 s, three at a time, took %v", took)
		}
	})
}

func TestAddCopiesTheDocument(t *testing.T) {
	f := &fake{}
	b := open(t, f, Config{Level: Accept})
	for _, padding := range []int{10, largeSize, 3 * chunkSize} {
		d := doc(padding, padding)
		want := bytes.Clone(d)
		add(t, b, d, Entry{})
		clear(d)
		if err := b.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(f.stored[padding], want) {
			t.Errorf("padding %d: stored bytes differ from those added", padding)
		}
	}
}

func TestAddRefusesWhatCanNeverBeSent(t *testing.T) {
	b := open(t, &fake{}, Config{Level: Accept, Pending: 3, PendingBytes: 1000})
	whole := doc(1)
	tooLong := append(bytes.Clone(whole), 0)
	open := bytes.Clone(whole)
	open[len(open)-1] = 1
	for _, c := range []struct {
		name string
		doc  []byte
		want error
	}{
		{"nothing", nil, ErrInvalid},
		{"no document", []byte{4, 0, 0, 0}, ErrInvalid},
		{"length prefix too small", tooLong, ErrInvalid},
		{"no zero at the end", open, ErrInvalid},
		{"over 16 MiB", make([]byte, MaxDocument+1), ErrTooLarge},
		{"over PendingBytes", doc(1, 1000), ErrTooLarge},
	} {
		if _, err := b.Add(c.doc); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := b.AddAll([][]byte{doc(1), doc(2), doc(3), doc(4)}, Entry{}, nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("four documents with Pending 3: %v", err)
	}
	if _, err := b.AddWith(doc(1), Entry{Level: Spool}); !errors.Is(err, ErrNoSpool) {
		t.Errorf("level spool without a spool: %v", err)
	}
	if s := b.Stats(); s.Accepted != 0 || s.Pending != 0 {
		t.Errorf("something was kept: %+v", s)
	}
}

func TestAddAllIsAllOrNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{delay: time.Second}
		b := open(t, f, Config{Pending: 3, Level: Store})
		tickets, err := b.AddAll([][]byte{doc(1), doc(2)}, Entry{}, nil)
		if err != nil || len(tickets) != 2 {
			t.Fatal(tickets, err)
		}
		if more, err := b.AddAll([][]byte{doc(3), doc(4)}, Entry{}, nil); !errors.Is(err, ErrFull) || len(more) != 0 {
			t.Fatalf("got %v, %v", more, err)
		}
		for _, ticket := range tickets {
			if o := outcome(t, ticket); o.Kind != Stored {
				t.Error(o)
			}
		}
		if got := f.attempts(); !reflect.DeepEqual(got, [][]int{{1, 2}}) {
			t.Errorf("one call's documents went as %v", got)
		}
	})
}

func TestAddEachTakesAnEntryPerDocument(t *testing.T) {
	f := &fake{stored: map[int][]byte{1: nil, 2: nil}}
	b := open(t, f, Config{})
	tickets, err := b.AddEach([][]byte{doc(1), doc(2), doc(3)}, []Entry{{Repeat: true}, {Chosen: true}, {}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []Kind
	for _, ticket := range tickets {
		kinds = append(kinds, outcome(t, ticket).Kind)
	}
	if want := []Kind{Stored, Rejected, Stored}; !reflect.DeepEqual(kinds, want) {
		t.Errorf("outcomes %v, want %v", kinds, want)
	}
	if _, err := b.AddEach([][]byte{doc(1)}, nil, nil); err == nil {
		t.Error("one document and no entry were taken")
	}
}

func TestOrderOfOneProducerIsKept(t *testing.T) {
	f := &fake{}
	b := open(t, f, Config{Size: 10, Inflight: 2})
	var producers sync.WaitGroup
	for p := range 4 {
		producers.Go(func() {
			for i := range 500 {
				add(t, b, doc(p*1000+i), Entry{})
			}
		})
	}
	producers.Wait()
	if err := b.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, batch := range f.attempts() {
		last := map[int]int{}
		for _, id := range batch {
			if before, ok := last[id/1000]; ok && id <= before {
				t.Fatalf("batch %v: %d after %d", batch, id, before)
			}
			last[id/1000] = id
		}
	}
}

func TestWaiterGivesUpAndItsDocumentDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{delay: 5 * time.Second}
		b := open(t, f, Config{})
		ticket := add(t, b, doc(1), Entry{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := ticket.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("gave up with %v", err)
		}
		if o := outcome(t, ticket); o.Kind != Stored {
			t.Fatal(o)
		}
		sums(t, b)
	})
}

func TestZeroTicketIsAnError(t *testing.T) {
	if _, err := (Ticket{}).Wait(t.Context()); err == nil {
		t.Error("no error")
	}
}
