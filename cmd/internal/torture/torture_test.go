package torture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch/spool"
	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
)

// The short form of what `rapidrest torture` does: about half a minute for all
// levels.
func TestNoPromiseIsBroken(t *testing.T) {
	for _, test := range []Config{
		{Level: "store", Kills: 4, Faults: 4, Seed: 29},
		{Level: "spool", Kills: 4, Faults: 4, Seed: 40, FullDisks: fullDisks(t, 2)},
		{Level: "accept", Faults: 5, Seed: 31},
	} {
		t.Run(test.Level, func(t *testing.T) {
			var log bytes.Buffer
			test.Binary, test.Dir, test.Duration, test.Connections, test.Rate, test.Log = mongotest.Binary(t), t.TempDir(), 6*time.Second, 16, 2000, &log
			report, err := Run(t.Context(), test)
			if err != nil {
				t.Fatalf("%v\n%s", err, &log)
			}
			t.Logf("\n%s", report)
			if !report.OK() {
				t.Errorf("a promise was broken\n%s", &log)
			}
			if report.Accepted == 0 || report.Kills != test.Kills || report.FullDisks != test.FullDisks {
				t.Errorf("%d accepted, %d kills, %d full disks, want some, %d and %d",
					report.Accepted, report.Kills, report.FullDisks, test.Kills, test.FullDisks)
			}
		})
	}
}

// fullDisks is n, or 0 on a system that gives us no disk to fill.
func fullDisks(t *testing.T, n int) int {
	d, err := mountDisk(t.TempDir())
	if err != nil {
		t.Logf("without a full disk: %v", err)
		return 0
	}
	d.unmount()
	return n
}

func TestAFullDiskTakesNothingUntilItIsCleared(t *testing.T) {
	if fullDisks(t, 1) == 0 {
		return
	}
	d, err := mountDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.unmount()
	path := filepath.Join(d.root, "f")
	write := func() error { return os.WriteFile(path, []byte("x"), 0o600) }
	for round := range 2 {
		if err := d.fill(); err != nil {
			t.Fatal(err)
		}
		if err := write(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("round %d: %v from a full disk", round, err)
		}
		if err := d.clear(); err != nil {
			t.Fatal(err)
		}
		if err := write(); err != nil {
			t.Errorf("round %d: %v from a cleared disk", round, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatIsNotDeliveredIsTold(t *testing.T) {
	root := t.TempDir()
	want := 0
	for where := range 2 {
		log, err := spool.Open(spool.Config{Dir: filepath.Join(root, collection(where))})
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		records := make([]spool.Record, 3+where)
		for i := range records {
			d := document(1, i)
			if records[i].Doc, err = bson.Marshal(d); err != nil {
				t.Fatal(err)
			}
		}
		if err := log.Append(records); err != nil {
			t.Fatal(err)
		}
		log.Settle([]spool.Settled{{Pos: records[1].Pos, Size: len(records[1].Doc)}})
		want += len(records) - 1
	}
	x := &experiment{cfg: Config{Level: "spool", Patience: 1, Log: io.Discard}, spool: root, report: new(Report)}
	if err := x.deliver(t.Context(), nil); err != nil || x.report.Undelivered != want {
		t.Errorf("%d, %v; want %d", x.report.Undelivered, err, want)
	}
	if x.report.OK() || !strings.Contains(x.report.String(), fmt.Sprintf(" %d not delivered", want)) {
		t.Errorf("nobody would know:\n%s", x.report)
	}
}

func TestPaceHoldsToTheRateAndMakesUpForLittle(t *testing.T) {
	p, start := newPace(1000), time.Unix(1_000_000, 0)
	for _, step := range []struct {
		now   time.Duration // since start
		count int
		at    time.Duration // when it may go out
	}{
		{0, 1, -slack}, // nothing before: as far behind as it may be
		{0, 999, -slack + time.Millisecond},
		{0, 8, 0},
		{0, 1, 8 * time.Millisecond},
		{5 * time.Millisecond, 1, 9 * time.Millisecond},
		{time.Minute, 1, time.Minute - slack},
	} {
		if got := p.take(start.Add(step.now), step.count).Sub(start); got != step.at {
			t.Errorf("%d documents at %v: %v, want %v", step.count, step.now, got, step.at)
		}
	}
	newPace(0).wait(t.Context(), 1<<30) // returns
}

// A harness that cannot fail proves nothing: every kind of damage must be found.
func TestTheLedgerFindsEveryDamage(t *testing.T) {
	const seed = 7
	db := mongotest.Database(t)
	entries := make([]entry, 2*chosenEach+2)
	ids := make([]any, len(entries))
	held := func(n int, id any, change func(*survey)) bson.D {
		d := document(seed, n)
		change(&d)
		raw, err := bson.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var elems bson.D
		if err := bson.Unmarshal(raw, &elems); err != nil {
			t.Fatal(err)
		}
		return append(bson.D{{Key: "_id", Value: id}}, elems...)
	}
	same := func(*survey) {}
	var docs []any
	var strayed bson.D
	for n := range entries {
		made := bson.NewObjectID()
		ids[n] = any(made)
		entries[n] = entry{answer: accepted, id: made}
		if chosen(n) {
			ids[n], entries[n].id = idOf(seed, n), bson.ObjectID{}
		}
	}
	entries[8].answer, entries[9].answer = unanswered, refused
	for n := range entries {
		switch n {
		case 1, 2, 2 * chosenEach: // lost
		case 3: // twice, under two _ids
			docs = append(docs, held(n, ids[n], same), held(n, bson.NewObjectID(), same))
		case 4:
			docs = append(docs, held(n, ids[n], func(d *survey) { d.Text += "x" }))
		case 5, chosenEach: // as sent, but not under the _id that the answer named
			docs = append(docs, held(n, bson.NewObjectID(), same))
		case 6: // as sent, but in another collection
			strayed = held(n, ids[n], same)
		default:
			docs = append(docs, held(n, ids[n], same))
		}
	}
	docs = append(docs, bson.D{{Key: "n", Value: int32(len(entries))}}, bson.D{{Key: "x", Value: 1}})
	if _, err := db.Collection(collection(0)).InsertMany(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Collection(collection(1)).InsertOne(t.Context(), strayed); err != nil {
		t.Fatal(err)
	}
	got, err := verify(t.Context(), db, seed, entries)
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Join(got.Examples, "\n")
	got.Examples = nil
	// Altered: 4, 5, 6, one that brought its _id, and the second copy of 3, which has an _id that
	// nobody was told.
	want := Sums{Stored: len(entries) - 3 + 1 + 2, Lost: 3, Duplicated: 1, Altered: 5, Foreign: 2, StoredUnanswered: 1, StoredRefused: 1}
	if gotS, wantS := asJSON(t, got), asJSON(t, want); gotS != wantS {
		t.Errorf("got  %s\nwant %s\n%s", gotS, wantS, examples)
	}
	if (&Report{Sums: got}).OK() {
		t.Error("the report calls that OK")
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestDocumentsAreMadeFromSeedAndNumberAlone(t *testing.T) {
	for n := range 200 {
		a, b, other := document(1, n), document(1, n), document(2, n)
		ja, err := a.appendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		jb, _ := b.appendJSON(nil)
		jo, _ := other.appendJSON(nil)
		if !bytes.Equal(ja, jb) || bytes.Equal(ja, jo) {
			t.Fatalf("document %d: %s, %s; of another seed %s", n, ja, jb, jo)
		}
		if bytes.ContainsRune(ja, '\n') {
			t.Fatalf("document %d is no line: %q", n, ja)
		}
	}
}

func TestNothingTakesBackThatADocumentWasAccepted(t *testing.T) {
	l := newLedger()
	n := l.take(3, 2)
	id := bson.NewObjectID()
	l.note(n, 202, accepted, id)
	l.note(n, 0, unanswered, bson.ObjectID{})
	l.note(n+1, 503, refused, bson.ObjectID{})
	entries, statuses := l.close()
	if entries[n] != (entry{accepted, 3, id}) || entries[n+1].answer != refused {
		t.Errorf("entries %v", entries)
	}
	if got, want := counts(statuses), "0: 1, 202: 1, 503: 1"; got != want {
		t.Errorf("statuses %q, want %q", got, want)
	}
}

func TestConfigRefuses(t *testing.T) {
	for name, cfg := range map[string]Config{
		"no binary":          {Dir: "d", Level: "store"},
		"no directory":       {Binary: "b", Level: "store"},
		"no level":           {Binary: "b", Dir: "d"},
		"kills of accept":    {Binary: "b", Dir: "d", Level: "accept", Kills: 1},
		"negative":           {Binary: "b", Dir: "d", Level: "store", Faults: -1},
		"full disk of store": {Binary: "b", Dir: "d", Level: "store", FullDisks: 1},
		"negative rate":      {Binary: "b", Dir: "d", Level: "store", Rate: -1},
		"negative clients":   {Binary: "b", Dir: "d", Level: "store", Connections: -1},
	} {
		if _, err := Run(t.Context(), cfg); err == nil || !strings.HasPrefix(err.Error(), "torture: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
