package integration

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
)

func itoa(n int) string { return strconv.Itoa(n) }

// ids are the _ids of a collection as text, sorted.
func (s *service) ids(t testing.TB, collection string) []string {
	t.Helper()
	found, err := s.db.Collection(collection).Find(context.Background(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	var docs []struct {
		ID any `bson:"_id"`
	}
	if err := found.All(context.Background(), &docs); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, d := range docs {
		ids = append(ids, fmt.Sprint(d.ID))
	}
	slices.Sort(ids)
	return ids
}

// sinkFunc is a sink that is a function.
type sinkFunc func(ctx context.Context, docs [][]byte) ([]batch.Outcome, error)

func (f sinkFunc) Insert(ctx context.Context, docs [][]byte) ([]batch.Outcome, error) {
	return f(ctx, docs)
}

// gated lets nothing through until its gate is closed.
type gated struct {
	batch.Sink
	gate chan struct{}
}

func (g gated) Insert(ctx context.Context, docs [][]byte) ([]batch.Outcome, error) {
	select {
	case <-g.gate:
		return g.Sink.Insert(ctx, docs)
	case <-ctx.Done():
		return nil, &batch.Fault{Kind: batch.Unsent, Err: ctx.Err()}
	}
}
