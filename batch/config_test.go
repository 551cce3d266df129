package batch

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestZeroConfigIsGood(t *testing.T) {
	b := open(t, &fake{}, Config{})
	if o := outcome(t, add(t, b, doc(1), Entry{})); o.Kind != Stored {
		t.Error(o)
	}
	if s := b.Stats(); s.Size != 100 || s.Auto != nil || s.Spool != nil {
		t.Errorf("%+v", s)
	}
}

func TestConfigOutOfRangeIsRefused(t *testing.T) {
	for want, cfg := range map[string]Config{
		"Size -2":         {Size: -2},
		"Size 100001":     {Size: MaxSize + 1},
		"Bytes -1":        {Bytes: -1},
		"Bytes 48000000":  {Bytes: 48_000_000},
		"Inflight -1":     {Inflight: -1},
		"Pending -1":      {Pending: -1},
		"PendingBytes -1": {PendingBytes: -1},
		"Level 4":         {Level: 4},
		"Level spool":     {Level: Spool, Name: "x"},
		"negative":        {Deadline: -1},
		"BackoffMin 2s":   {BackoffMin: 2 * time.Second, BackoffMax: time.Second},
		"SegmentBytes":    {Dir: t.TempDir(), SegmentBytes: 2 << 30},
	} {
		if _, err := Open(&fake{}, cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestHooksHearWhatHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []string
		note := func(format string, args ...any) { heard = append(heard, fmt.Sprintf(format, args...)) }
		hooks := Hooks{
			Flushed: func(f Flush) {
				note("flushed %s %d: %d %d %d %d in %v", f.Name, f.Docs, f.Stored, f.Rejected, f.Failed, f.Again, f.Took)
			},
			Retry: func(name, why string, docs int, cause error) { note("retry %s %s %d: %v", name, why, docs, cause) },
			DeadLetter: func(name string, docs int, written bool) {
				note("dead letter %s %d %v", name, docs, written)
			},
			Refused: func(name string, docs int, err error) { note("refused %s %d %v", name, docs, err == ErrFull) },
		}
		tried := map[int]bool{}
		f := &fake{delay: time.Second, verdict: func(id int) (Outcome, bool) {
			again := !tried[id]
			tried[id] = true
			switch {
			case id == 1:
				return Outcome{Kind: Rejected, Reason: "no"}, true
			case id == 2 && again:
				return Outcome{Retry: true, Reason: "busy"}, true
			}
			return Outcome{}, false
		}}
		b := open(t, f, Config{Name: "c", Level: Accept, Pending: 3, Hooks: hooks})
		if _, err := b.AddAll([][]byte{doc(0), doc(1), doc(2)}, Entry{}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := b.AddAll([][]byte{doc(3), doc(4)}, Entry{}, nil); !errors.Is(err, ErrFull) {
			t.Fatal(err)
		}
		_ = b.Flush(t.Context())
		synctest.Wait() // hooks are called after the outcomes are told
		want := []string{
			"refused c 2 true",
			"dead letter c 1 false",
			"flushed c 3: 1 1 0 1 in 1s",
			"retry c the server asks for it 1: busy",
			"flushed c 1: 1 0 0 0 in 1s",
		}
		if !reflect.DeepEqual(heard, want) {
			t.Errorf("heard\n%s\nwant\n%s", strings.Join(heard, "\n"), strings.Join(want, "\n"))
		}
	})
}

func TestHistogramCountsByOrderOfMagnitude(t *testing.T) {
	var h Histogram
	for _, v := range []uint64{0, 1, 2, 3, 4, 7, 8, 1 << 60} {
		h.add(v)
	}
	want := map[int]uint64{0: 1, 1: 1, 2: 2, 3: 2, 4: 1, 39: 1}
	for i, n := range h.Counts {
		if n != want[i] {
			t.Errorf("bucket %d has %d, want %d", i, n, want[i])
		}
	}
	for i := range 5 {
		var one Histogram
		one.add(h.Upper(i))
		if one.Counts[i] != 1 {
			t.Errorf("%d is not in bucket %d", h.Upper(i), i)
		}
	}
}

func TestNamesOfKindsAndLevels(t *testing.T) {
	for _, c := range []struct {
		value fmt.Stringer
		want  string
	}{
		{Stored, "stored"}, {Rejected, "rejected"}, {Failed, "failed"}, {Kind(0), "undecided"}, {Kind(9), "Kind(9)"},
		{Accept, "accept"}, {Spool, "spool"}, {Store, "store"}, {Level(0), "default"}, {Level(9), "Level(9)"},
		{Unsent, "unsent"}, {Ambiguous, "ambiguous"}, {Refused, "refused"}, {FaultKind(9), "FaultKind(9)"},
	} {
		if got := c.value.String(); got != c.want {
			t.Errorf("%#v: %q, want %q", c.value, got, c.want)
		}
	}
}
