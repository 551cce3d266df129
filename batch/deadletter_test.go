package batch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func deadLetter(t testing.TB) *DeadLetter {
	t.Helper()
	d, err := OpenDeadLetter(filepath.Join(t.TempDir(), "dead.ndjson"), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func lettersOf(t testing.TB, d *DeadLetter) []Letter {
	t.Helper()
	f, err := os.Open(d.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []Letter
	for l, err := range ReadDeadLetter(f) {
		if err != nil {
			t.Error(err)
		}
		all = append(all, l)
	}
	return all
}

func TestDeadLetterComesBackByteByByte(t *testing.T) {
	id, err := bson.ObjectIDFromHex("65a1b2c3d4e5f60718293a4b")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := bson.Marshal(bson.D{
		{Key: "_id", Value: id}, {Key: "i", Value: int32(1)}, {Key: "l", Value: int64(1)}, {Key: "d", Value: 1.0},
		{Key: "s", Value: "a\n\"ü"}, {Key: "t", Value: bson.DateTime(1)}, {Key: "b", Value: bson.Binary{Subtype: 4, Data: make([]byte, 16)}},
		{Key: "n", Value: nil}, {Key: "a", Value: bson.A{bson.D{}, true}}, {Key: "x", Value: bson.Timestamp{T: 1, I: 2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Letter{Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Collection: "a\"b",
		Outcome: Outcome{Kind: Rejected, Code: 11000, Reason: "E11000\nsecond line"}, Document: raw}
	d := deadLetter(t)
	if err := d.Write([]Letter{want}); err != nil {
		t.Fatal(err)
	}
	got := lettersOf(t, d)
	if len(got) != 1 || !got[0].Time.Equal(want.Time) || got[0].Collection != want.Collection || got[0].Outcome != want.Outcome || !bytes.Equal(got[0].Document, raw) {
		t.Errorf("got %v, want %v", got, want)
	}
	text, err := os.ReadFile(d.Path())
	if err != nil || strings.Count(string(text), "\n") != 1 {
		t.Errorf("not one line: %q, %v", text, err)
	}
}

func TestDeadLetterTakesWhatIsNoDocument(t *testing.T) {
	d := deadLetter(t)
	broken := []byte{5, 0, 0, 0, 9, 0}
	if err := d.Write([]Letter{{Outcome: Outcome{Kind: Failed}, Document: broken}}); err != nil {
		t.Fatal(err)
	}
	if got := lettersOf(t, d); len(got) != 1 || !bytes.Equal(got[0].Document, broken) {
		t.Errorf("%v", got)
	}
}

func TestDeadLetterRotatesAndDeletesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dead.ndjson")
	if err := os.WriteFile(path+".2", []byte("older"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := OpenDeadLetter(path, 300)
	if err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for i := range 12 {
		writers.Go(func() {
			if err := d.Write([]Letter{{Outcome: Outcome{Kind: Rejected}, Document: doc(i)}}); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if older, err := os.ReadFile(path + ".2"); err != nil || string(older) != "older" {
		t.Errorf("an older file was overwritten: %q, %v", older, err)
	}
	names, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, name := range names {
		if name == path+".2" {
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := f.Stat(); err != nil || info.Size() > 300 {
			t.Errorf("%s: %d bytes, %v", name, info.Size(), err)
		}
		for l, err := range ReadDeadLetter(f) {
			if err != nil {
				t.Error(err)
			}
			seen[idOf(l.Document)] = true
		}
		_ = f.Close()
	}
	if len(seen) != 12 || len(names) < 4 {
		t.Errorf("%d letters of 12 in %v", len(seen), names)
	}
}

func TestDeadLetterGoesOnAfterHalfALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dead.ndjson")
	if err := os.WriteFile(path, []byte(`{"time":"2026-01-02T`), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := OpenDeadLetter(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Write([]Letter{{Outcome: Outcome{Kind: Rejected}, Document: doc(1)}}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var got []string
	for l, err := range ReadDeadLetter(f) {
		got = append(got, fmt.Sprint(len(l.Document) > 0, err != nil))
	}
	if want := []string{"false true", "true false"}; !reflect.DeepEqual(got, want) {
		t.Errorf("document and error by line: %v, want %v", got, want)
	}
}

// What nobody hears goes to the dead letter, and only that.
func TestDeadLetterTakesWhatNobodyHears(t *testing.T) {
	dead := deadLetter(t)
	f := &fake{verdict: func(id int) (Outcome, bool) { return Outcome{Kind: Rejected, Reason: "no"}, true }}
	b := open(t, f, Config{Name: "answers", DeadLetter: dead})
	outcome(t, add(t, b, doc(1), Entry{}))
	add(t, b, doc(2), Entry{Level: Accept})
	if err := b.Flush(t.Context()); err == nil {
		t.Error("flush says nothing")
	}
	got := lettersOf(t, dead)
	if len(got) != 1 || idOf(got[0].Document) != 2 || got[0].Collection != "answers" || got[0].Outcome.Reason != "no" {
		t.Errorf("%v", got)
	}
	if s := sums(t, b); s.DeadLettered != 1 || s.Lost != 0 || s.Rejected != 2 {
		t.Errorf("%+v", s)
	}
}

func TestWithoutDeadLetterTheyCountAsLost(t *testing.T) {
	f := &fake{verdict: func(id int) (Outcome, bool) { return Outcome{Kind: Rejected}, true }}
	closed := deadLetter(t)
	_ = closed.Close()
	for _, dead := range []*DeadLetter{nil, closed} {
		b := open(t, f, Config{Level: Accept, DeadLetter: dead})
		add(t, b, doc(1), Entry{})
		_ = b.Flush(t.Context())
		if s := sums(t, b); s.Lost != 1 || s.DeadLettered != 0 {
			t.Errorf("%+v", s)
		}
	}
	if err := closed.Write(nil); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}
