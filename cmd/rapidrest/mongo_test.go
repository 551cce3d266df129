package main

import (
	"context"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
)

// The first line is the URI that any client connects to; SIGTERM ends it, and the documents are
// there when it is started again.
func TestMongoCommand(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	binary := mongotest.Binary(t)
	type row struct {
		ID int `bson:"_id"`
	}
	for run := range 2 {
		c := startBinary(t, binary, "mongo", "--listen", "127.0.0.1:0", "--data", dir)
		uri := c.line("")
		if !strings.HasPrefix(uri, "mongodb://127.0.0.1:") {
			t.Fatalf("first line %q, want a mongodb:// URI", uri)
		}
		rows := mongotest.Client(t, uri).Database("d").Collection("c")
		if _, err := rows.InsertOne(ctx, row{run}); err != nil {
			t.Fatal(err)
		}
		if n, err := rows.CountDocuments(ctx, bson.D{}); err != nil || n != int64(run)+1 {
			t.Errorf("run %d: %d documents, error %v", run, n, err)
		}
		if code := c.terminate(); code != 0 {
			t.Errorf("exit code %d, want 0", code)
		}
	}
}
