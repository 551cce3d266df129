package integration

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
)

// After an answer that was lost, documents with _ids of the client's are looked for:
// those that are there byte for byte are stored, and those whose _id another document
// has are rejected. Few are looked for one by one on FerretDB, many at once.
func TestLesson36_AfterALostAnswerTheDatabaseSaysWhoseIDItIs(t *testing.T) {
	for _, n := range []int{10, 100} {
		db := mongotest.Database(t)
		c := openStore(t, mongotest.URI(t), db).Collection("c")
		r := rand.New(rand.NewPCG(36, uint64(n)))
		var docs [][]byte
		for i := range n {
			docs = append(docs, marshal(t, "_id", fmt.Sprint("id ", i), "v", anything(r, 3)))
		}
		const taken = 3
		theirs := marshal(t, "_id", fmt.Sprint("id ", taken), "by", "somebody else")
		first := append([][]byte{theirs}, docs[:taken]...)
		if _, err := c.Insert(t.Context(), append(first, docs[taken+1:]...)); err != nil {
			t.Fatal(err)
		}
		b := openBufferOn(t, &deafOnce{Collection: c}, batch.Config{Size: n})
		tickets, err := b.AddAll(docs, batch.Entry{Chosen: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, ticket := range tickets {
			want := batch.Stored
			if i == taken {
				want = batch.Rejected
			}
			if o, err := ticket.Wait(t.Context()); err != nil || o.Kind != want {
				t.Errorf("%d documents, document %d: %+v, %v; want %v", n, i, o, err, want)
			}
		}
	}
}
