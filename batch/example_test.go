package batch_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
)

// store is a store in memory that rejects documents without a name.
type store struct{}

func (store) Insert(_ context.Context, docs [][]byte) ([]batch.Outcome, error) {
	outcomes := make([]batch.Outcome, len(docs))
	for i, doc := range docs {
		outcomes[i].Kind = batch.Stored
		if _, err := bson.Raw(doc).LookupErr("name"); err != nil {
			outcomes[i] = batch.Outcome{Kind: batch.Rejected, Reason: "it has no name"}
		}
	}
	return outcomes, nil
}

func document(fields ...bson.E) []byte {
	doc, err := bson.Marshal(bson.D(fields))
	if err != nil {
		panic(err)
	}
	return doc
}

func Example() {
	buf, err := batch.Open(store{}, batch.Config{Name: "people"})
	if err != nil {
		panic(err)
	}
	for _, doc := range [][]byte{
		document(bson.E{Key: "_id", Value: 1}, bson.E{Key: "name", Value: "Ada"}),
		document(bson.E{Key: "_id", Value: 2}),
	} {
		ticket, err := buf.Add(doc)
		if err != nil {
			panic(err)
		}
		outcome, err := ticket.Wait(context.Background())
		fmt.Println(outcome.Kind, outcome.Reason, err)
	}
	fmt.Println(buf.Close(context.Background()))
	// Output:
	// stored  <nil>
	// rejected it has no name <nil>
	// <nil>
}

// Nobody waits for documents at level Accept; what goes wrong with them is in the dead letter.
func ExampleDeadLetter() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	dead, err := batch.OpenDeadLetter(filepath.Join(dir, "dead.ndjson"), 100<<20)
	if err != nil {
		panic(err)
	}
	buf, err := batch.Open(store{}, batch.Config{
		Name: "people", Level: batch.Accept, DeadLetter: dead,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		panic(err)
	}
	_, err = buf.Add(document(bson.E{Key: "_id", Value: 7}))
	fmt.Println(err)
	fmt.Println(buf.Flush(context.Background()))
	fmt.Println(buf.Close(context.Background()), dead.Close())

	file, err := os.Open(dead.Path())
	if err != nil {
		panic(err)
	}
	defer file.Close()
	for letter, err := range batch.ReadDeadLetter(file) {
		fmt.Println(letter.Collection, letter.Outcome.Reason, letter.Document, err)
	}
	// Output:
	// <nil>
	// batch: flush "people": 1 rejected, 0 failed
	// <nil> <nil>
	// people it has no name {"_id": {"$numberInt":"7"}} <nil>
}

// A set hands out the buffers of a server's collections.
func ExampleSet() {
	set := batch.NewSet(func(collection string) (batch.Sink, batch.Config, error) {
		return store{}, batch.Config{Size: 1000, Linger: 10 * time.Millisecond, Level: batch.Accept}, nil
	}, batch.Limits{Buffers: 100})

	for _, collection := range []string{"people", "places", "people"} {
		buf, err := set.Buffer(collection)
		if err != nil {
			panic(err)
		}
		if _, err := buf.Add(document(bson.E{Key: "name", Value: "Ada"})); err != nil {
			panic(err)
		}
	}
	fmt.Println(set.Flush(context.Background()))
	for _, s := range set.Stats() {
		fmt.Println(s.Name, s.Stored)
	}
	fmt.Println(set.Close(context.Background()))
	// Output:
	// <nil>
	// people 2
	// places 1
	// <nil>
}
