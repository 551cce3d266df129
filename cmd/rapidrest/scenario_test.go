package main

import (
	"context"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
)

// scenarioServers are the two that do the same.
var scenarioServers = []string{"baseline", "framework"}

// scenarioServer starts one of the two servers over the database db.
func scenarioServer(t *testing.T, name string, db *mongo.Database, flags ...string) *command {
	t.Helper()
	args := append([]string{name, "--listen", "127.0.0.1:0", "--mongo-uri", mongotest.URI(t), "--database", db.Name()}, flags...)
	return start(t, args...)
}

// documents returns what a collection holds, in the order in which the ids were made.
func documents(t *testing.T, db *mongo.Database, collection string) (docs []bson.D) {
	t.Helper()
	cursor, err := db.Collection(collection).Find(context.Background(), bson.D{}, options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}))
	if err != nil {
		t.Fatal(err)
	}
	if err := cursor.All(context.Background(), &docs); err != nil {
		t.Fatal(err)
	}
	return docs
}

// Lesson 7: documents that filled no batch stayed in memory for ever. SIGTERM right after the
// last answer, with the rest of a batch still waiting: every document is there.
func TestLesson07_TerminateStoresEveryAnsweredDocument(t *testing.T) {
	for _, name := range scenarioServers {
		t.Run(name, func(t *testing.T) {
			db := mongotest.Database(t)
			c := scenarioServer(t, name, db, "--batch-size", "7", "--linger", "1h")
			url := c.url()
			const n = 100
			for range n {
				if got := send(t, "POST", url+"/surveybatched/customer/ann", `{"q":1}`); got.status != 202 {
					t.Fatalf("status %d, want 202; %s", got.status, got.body)
				}
			}
			if code := c.terminate(); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
			if got := len(documents(t, db, "customer")); got != n {
				t.Errorf("%d documents in the collection, want %d", got, n)
			}
		})
	}
}

func TestScenarioServerSaysThatTheDatabaseIsDown(t *testing.T) {
	for _, name := range scenarioServers {
		t.Run(name, func(t *testing.T) {
			c := start(t, name, "--listen", "127.0.0.1:0", "--mongo-uri", "mongodb://127.0.0.1:1/")
			if code := c.exit(); code != exitFailed {
				t.Errorf("exit code %d, want %d", code, exitFailed)
			}
			if said := c.stderr.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "127.0.0.1:1") {
				t.Errorf("it says %q; want one line with the address", said)
			}
		})
	}
}
