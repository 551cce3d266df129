package integration

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
	"github.com/rapidrest/rapidrest/store"
)

// openStore opens the store that db is in.
func openStore(t *testing.T, uri string, db *mongo.Database) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{URI: uri, Database: db.Name()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

// openBuffer opens a buffer in front of the collection. Its log is of retries that
// the tests are about, and is dropped.
func openBuffer(t *testing.T, c *store.Collection, cfg batch.Config) *batch.Buffer {
	t.Helper()
	cfg.Logger = slog.New(slog.DiscardHandler)
	b, err := batch.Open(c, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := b.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return b
}

func marshal(t *testing.T, elems ...any) []byte {
	t.Helper()
	var d bson.D
	for i := 0; i+1 < len(elems); i += 2 {
		d = append(d, bson.E{Key: elems[i].(string), Value: elems[i+1]})
	}
	raw, err := bson.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// stored reads the whole collection by _id.
func stored(t *testing.T, c *mongo.Collection) map[string]bson.Raw {
	t.Helper()
	cursor, err := c.Find(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close(t.Context())
	all := make(map[string]bson.Raw)
	for cursor.Next(t.Context()) {
		id := cursor.Current.Lookup("_id").String()
		if _, twice := all[id]; twice {
			t.Errorf("%s is stored twice", id)
		}
		all[id] = bytes.Clone(cursor.Current)
	}
	if err := cursor.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// compare holds what is stored against what was sent, byte by byte.
func compare(t *testing.T, got map[string]bson.Raw, sent [][]byte) {
	t.Helper()
	if len(got) != len(sent) {
		t.Errorf("%d documents stored, %d sent", len(got), len(sent))
	}
	for _, d := range sent {
		id := bson.Raw(d).Lookup("_id").String()
		switch held, ok := got[id]; {
		case !ok:
			t.Errorf("%s is lost", id)
		case !bytes.Equal(held, d):
			t.Errorf("%s is altered: sent %v, stored %v", id, bson.Raw(d), held)
		}
	}
}

// anything makes a value of any type that every store holds.
func anything(r *rand.Rand, depth int) any {
	kind := r.IntN(14)
	if depth == 0 {
		kind = r.IntN(11)
	}
	switch kind {
	case 0:
		return strings.Repeat("ü€", r.IntN(40))
	case 1:
		return int32(r.Uint32())
	case 2:
		return int64(r.Uint64())
	case 3:
		return r.NormFloat64() * math.Pow(10, float64(r.IntN(600)-300))
	case 4:
		return r.IntN(2) == 0
	case 5:
		return nil
	case 6:
		return bson.DateTime(r.Int64N(1 << 42))
	case 7:
		return bson.NewObjectID()
	case 8:
		return bson.Binary{Subtype: 0, Data: []byte(strings.Repeat("\x00\xff", r.IntN(50)))}
	case 9:
		return bson.Timestamp{T: r.Uint32(), I: r.Uint32()}
	case 10:
		return bson.Regex{Pattern: "^a.*\"", Options: "i"}
	case 11:
		var a bson.A
		for range r.IntN(5) {
			v := anything(r, 0) // no array in an array
			a = append(a, v)
		}
		return append(a, "end")
	}
	d := bson.D{}
	for i := range r.IntN(6) {
		d = append(d, bson.E{Key: fmt.Sprintf("key %d\n", i), Value: anything(r, depth-1)})
	}
	return d
}

// Pooled bytes that were used again before they had been sent corrupt what is
// stored. Here every document is made in the same bytes.
func TestLesson39_EveryByteArrivesThoughTheCallersBytesAreReused(t *testing.T) {
	db := mongotest.Database(t)
	b := openBuffer(t, openStore(t, mongotest.URI(t), db).Collection("c"), batch.Config{Size: 37, Level: batch.Accept, Inflight: 3})
	r := rand.New(rand.NewPCG(39, 1))
	var sent [][]byte
	var scratch []byte
	for i := range 2_000 {
		d := marshal(t, "_id", bson.NewObjectID(), "i", int32(i), "v", anything(r, 3))
		sent = append(sent, d)
		scratch = append(scratch[:0], d...)
		if _, err := b.Add(scratch); err != nil {
			t.Fatal(err)
		}
		for j := range scratch {
			scratch[j] = 0xAA
		}
	}
	if err := b.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	compare(t, stored(t, db.Collection("c")), sent)
}

func TestLesson34_BadDocumentsFailAlone(t *testing.T) {
	db := mongotest.Database(t)
	s := openStore(t, mongotest.URI(t), db)
	limits := s.Limits()
	good := func(i int) []byte { return marshal(t, "_id", fmt.Sprintf("good %d", i), "n", int32(i)) }
	docs := [][]byte{
		good(0),
		marshal(t, "_id", "nested", "a", bson.A{bson.A{int32(1)}}),
		good(1),
		marshal(t, "_id", "inf", "x", math.Inf(1)),
		marshal(t, "_id", "dotted", "a.b", int32(1)),
		good(2),
		marshal(t, "_id", "fat", "x", strings.Repeat("x", batch.MaxDocument)),
		good(3),
	}
	outcomes, err := s.Collection("c").Insert(t.Context(), docs)
	if err != nil {
		t.Fatal(err)
	}
	rejected := []bool{1: limits.NestedArrays, 3: limits.Infinity, 4: limits.DottedKeys, 6: true, 7: false}
	var want [][]byte
	for i, o := range outcomes {
		if (o.Kind == batch.Rejected) != rejected[i] || (o.Kind == batch.Stored) == rejected[i] {
			t.Errorf("document %d: %+v, want rejected %v", i, o, rejected[i])
		}
		if o.Kind == batch.Rejected && (o.Code == 0 || o.Reason == "") {
			t.Errorf("document %d is rejected without a reason: %+v", i, o)
		}
		if !rejected[i] {
			want = append(want, docs[i])
		}
	}
	compare(t, stored(t, db.Collection("c")), want)
}

// An _id that the client chose, and another unique index, are real rejections, told
// apart on a server that names the index and on one that does not.
func TestLesson36_DuplicatesAreToldApart(t *testing.T) {
	db := mongotest.Database(t)
	index := mongo.IndexModel{Keys: bson.D{{Key: "email", Value: 1}}, Options: options.Index().SetUnique(true)}
	if _, err := db.Collection("c").Indexes().CreateOne(t.Context(), index); err != nil {
		t.Fatal(err)
	}
	c := openStore(t, mongotest.URI(t), db).Collection("c")
	first := [][]byte{marshal(t, "_id", "a", "email", "a@x"), marshal(t, "_id", "b", "email", "b@x")}
	if _, err := c.Insert(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	last := marshal(t, "_id", "d", "email", "d@x")
	outcomes, err := c.Insert(t.Context(), [][]byte{
		marshal(t, "_id", "a", "email", "new@x"),
		marshal(t, "_id", "c", "email", "b@x"),
		last,
	})
	if err != nil {
		t.Fatal(err)
	}
	if o := outcomes[0]; o.Kind != batch.Rejected || !o.Duplicate || !o.DuplicateID {
		t.Errorf("an _id that exists: %+v", o)
	}
	if o := outcomes[1]; o.Kind != batch.Rejected || !o.Duplicate || o.DuplicateID {
		t.Errorf("an email that exists: %+v", o)
	}
	if o := outcomes[2]; o.Kind != batch.Stored {
		t.Errorf("nothing wrong: %+v", o)
	}
	compare(t, stored(t, db.Collection("c")), append(first, last))
}

// After an answer that was lost, all of a batch is E11000 when it is sent again.
// For ids of ours that means stored, and a second copy of nothing.
func TestLesson35_ARetryAfterALostAnswerStoresNothingTwice(t *testing.T) {
	db := mongotest.Database(t)
	c := openStore(t, mongotest.URI(t), db).Collection("c")
	var docs [][]byte
	for i := range 100 {
		docs = append(docs, marshal(t, "_id", bson.NewObjectID(), "i", int32(i)))
	}
	// Half of them reached the database before the answer was lost.
	if _, err := c.Insert(t.Context(), docs[:50]); err != nil {
		t.Fatal(err)
	}
	b := openBufferOn(t, &deafOnce{Collection: c}, batch.Config{Size: 100})
	tickets, err := b.AddAll(docs, batch.Entry{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, ticket := range tickets {
		if o, err := ticket.Wait(t.Context()); err != nil || o.Kind != batch.Stored {
			t.Fatalf("document %d: %+v, %v; want stored", i, o, err)
		}
	}
	compare(t, stored(t, db.Collection("c")), docs)
}

// deafOnce does not hear the first answer.
type deafOnce struct {
	*store.Collection
	heard bool
}

func (d *deafOnce) Insert(ctx context.Context, docs [][]byte) ([]batch.Outcome, error) {
	if !d.heard {
		d.heard = true
		return nil, &batch.Fault{Kind: batch.Ambiguous, Err: context.DeadlineExceeded}
	}
	return d.Collection.Insert(ctx, docs)
}

func openBufferOn(t *testing.T, sink batch.Sink, cfg batch.Config) *batch.Buffer {
	t.Helper()
	cfg.Logger = slog.New(slog.DiscardHandler)
	b, err := batch.Open(sink, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close(context.Background()) })
	return b
}

// The embedded database hangs up at a decimal128. Its neighbours are stored, it is
// rejected, and what is added afterwards is stored too.
func TestADocumentAtWhichTheDatabaseHangsUpFailsAlone(t *testing.T) {
	db := mongotest.Database(t)
	s := openStore(t, mongotest.URI(t), db)
	b := openBuffer(t, s.Collection("c"), batch.Config{Size: 64, Patience: 100 * time.Millisecond})
	decimal, err := bson.ParseDecimal128("1.10")
	if err != nil {
		t.Fatal(err)
	}
	var docs [][]byte
	for i := range 64 {
		docs = append(docs, marshal(t, "_id", fmt.Sprint(i), "i", int32(i)))
	}
	const bad = 41
	docs[bad] = marshal(t, "_id", "bad", "price", decimal)
	tickets, err := b.AddAll(docs, batch.Entry{Chosen: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := batch.Stored
	if s.Limits().Decimal128 {
		want = batch.Rejected
	}
	var held [][]byte
	for i, ticket := range tickets {
		o, err := ticket.Wait(t.Context())
		switch {
		case err != nil:
			t.Fatal(err)
		case i == bad && o.Kind != want, i != bad && o.Kind != batch.Stored:
			t.Errorf("document %d: %+v", i, o)
		}
		if o.Kind == batch.Stored {
			held = append(held, docs[i])
		}
	}
	next := marshal(t, "_id", "next")
	ticket, err := b.Add(next)
	if err != nil {
		t.Fatal(err)
	}
	if o, err := ticket.Wait(t.Context()); err != nil || o.Kind != batch.Stored {
		t.Errorf("the next document: %+v, %v", o, err)
	}
	compare(t, stored(t, db.Collection("c")), append(held, next))
}
