package main

import (
	"context"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/client"
	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
)

// Lesson 7, in full: 30,000 requests, pipelined, at batch sizes of which one is no divisor of
// 30,000; SIGTERM right after the last answer. A MongoDB client then counts 30,000 documents.
func TestLesson07_ThirtyThousandAreStored(t *testing.T) {
	const n = 30_000
	for _, size := range []string{"10", "7"} {
		t.Run(size, func(t *testing.T) {
			db := mongotest.Database(t)
			c := scenarioServer(t, "framework", db, "--batch-size", size)
			res, err := client.Run(t.Context(), client.Config{URL: c.url() + "/surveybatched/customer/{user}", Requests: n, Timeout: patience})
			if err != nil {
				t.Fatal(err)
			}
			if res.Status[202] != n {
				t.Fatalf("answers by status %v, errors %v; want %d times 202", res.Status, res.Errors, n)
			}
			if code := c.terminate(); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
			got, err := db.Collection("customer").CountDocuments(context.Background(), bson.D{})
			if err != nil || got != n {
				t.Errorf("%d documents in the collection, error %v; want %d", got, err, n)
			}
		})
	}
}
