package spool_test

import (
	"fmt"
	"io"
	"log/slog"
	"os"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch/spool"
)

// What one process appends and doesn't settle, the next one replays.
func Example() {
	dir, err := os.MkdirTemp("", "spool")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	cfg := spool.Config{Dir: dir, Name: "answers", Fsync: spool.FsyncBatch, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}

	first, err := spool.Open(cfg)
	if err != nil {
		panic(err)
	}
	var records []spool.Record
	for n := range 3 {
		doc, err := bson.Marshal(bson.D{{Key: "n", Value: n}})
		if err != nil {
			panic(err)
		}
		records = append(records, spool.Record{Doc: doc})
	}
	fmt.Println(first.Append(records))
	first.Settle([]spool.Settled{{Pos: records[0].Pos, Size: len(records[0].Doc)}})
	fmt.Println(first.Close())

	second, err := spool.Open(cfg)
	if err != nil {
		panic(err)
	}
	for r := range second.Replay() {
		fmt.Println(bson.Raw(r.Doc))
		second.Settle([]spool.Settled{{Pos: r.Pos, Size: len(r.Doc)}})
	}
	fmt.Println(second.Stats().Segments, second.Close())
	// Output:
	// <nil>
	// <nil>
	// {"n": {"$numberInt":"1"}}
	// {"n": {"$numberInt":"2"}}
	// 0 <nil>
}
