package integration

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
	"github.com/rapidrest/rapidrest/store"
)

// The database is killed again and again while documents are added; each time some
// batches are cut off after they were stored and before the answer came.
func TestTheDatabaseIsKilledAndStartedAgain(t *testing.T) {
	p := mongotest.Process(t, t.TempDir())
	db := mongotest.Client(t, p.URI()).Database("outage")
	s := openStore(t, p.URI(), db)
	b := openBuffer(t, s.Collection("c"), batch.Config{Size: 20, Level: batch.Accept, BackoffMax: 100 * time.Millisecond})

	var sent [][]byte
	add := func(n int) {
		for range n {
			d := marshal(t, "_id", bson.NewObjectID(), "i", int32(len(sent)))
			for {
				_, err := b.Add(d)
				if err == nil {
					break
				}
				if !errors.Is(err, batch.ErrFull) {
					t.Fatal(err)
				}
			}
			sent = append(sent, d)
		}
	}
	const outages = 5
	for range outages {
		before := b.Stats().Stored
		add(500)
		for b.Stats().Stored < before+100 { // it is in the middle of them
			time.Sleep(time.Millisecond)
		}
		p.Kill()
		add(200)
		p.Start()
	}
	if err := b.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(sent); b.Stats().Stored != uint64(n) {
		t.Errorf("%d documents count as stored, %d were added", b.Stats().Stored, n)
	}
	compare(t, stored(t, mongotest.Client(t, p.URI()).Database("outage").Collection("c")), sent)
}

func TestASilentDatabaseIsAmbiguousAndThenDown(t *testing.T) {
	p := mongotest.Process(t, t.TempDir())
	db := mongotest.Client(t, p.URI()).Database("silent")
	c := openStore(t, p.URI(), db).Collection("c")
	b := openBuffer(t, c, batch.Config{AttemptTimeout: time.Second, BackoffMax: 50 * time.Millisecond})
	d := marshal(t, "_id", "first")
	ticket, err := b.Add(d)
	if err != nil {
		t.Fatal(err)
	}
	if o, err := ticket.Wait(t.Context()); err != nil || o.Kind != batch.Stored {
		t.Fatalf("%+v, %v", o, err)
	}
	if err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	var sent [][]byte
	var tickets []batch.Ticket
	for i := 0; ; i++ { // until the buffer knows
		d := marshal(t, "_id", fmt.Sprint(i))
		ticket, err := b.Add(d)
		if errors.Is(err, batch.ErrDown) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		sent, tickets = append(sent, d), append(tickets, ticket)
		time.Sleep(10 * time.Millisecond)
	}
	if err := p.Resume(); err != nil {
		t.Fatal(err)
	}
	for i, ticket := range tickets {
		if o, err := ticket.Wait(t.Context()); err != nil || o.Kind != batch.Stored {
			t.Fatalf("document %d: %+v, %v", i, o, err)
		}
	}
	compare(t, stored(t, db.Collection("c")), append(sent, d))
}

func TestOpenSaysInOneLineThatTheDatabaseIsDown(t *testing.T) {
	p := mongotest.Process(t, t.TempDir())
	p.Kill()
	_, err := store.Open(t.Context(), store.Config{URI: p.URI(), Database: "d"})
	want := fmt.Sprintf("store: no server answers at %s: dial tcp %s: connect: connection refused", p.Addr(), p.Addr())
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
