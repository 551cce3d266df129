package integration

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/resource"
	"github.com/rapidrest/rapidrest/store"
)

// A document at which the database hangs up, sent past the check that would refuse it, among
// others that share its batch, with more that come while it is being found out.
func TestAPoisonousPostHurtsNobodyElse(t *testing.T) {
	db := mongotest.Database(t)
	st, err := store.Open(t.Context(), store.Config{URI: mongotest.URI(t), Database: db.Name()})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close(t.Context())
	s := serveStore(t, db, st, serviceConfig{
		unchecked: true,
		resource:  resource.Config{Document: document.Options{ExtendedJSON: true}},
		batch:     batch.Config{Size: 16},
	})
	if got := s.do(t, "POST /collections/c"+json+`{"_id":"first"}`); status(got) != "201" {
		t.Fatal(got)
	}
	const poison = `{"_id":"poison","price":{"$numberDecimal":"1.10"}}`
	var (
		wg      sync.WaitGroup
		begun   = time.Now()
		verdict time.Duration
		mu      sync.Mutex
		longest time.Duration
		others  int
		found   = make(chan struct{})
	)
	want, stored := "422", 1
	if !st.Limits().Decimal128 { // a database that holds it
		want, stored = "201", 2
	}
	wg.Go(func() {
		defer close(found)
		if got := s.do(t, "POST /collections/c"+json+poison); status(got) != want {
			t.Errorf("the poison: %s", got)
		}
		verdict = time.Since(begun)
	})
	for c := range 15 {
		wg.Go(func() {
			for n := 0; ; n++ {
				sent := time.Now()
				if got := s.do(t, fmt.Sprintf("POST /collections/c%s{\"_id\":\"%d-%d\"}", json, c, n)); status(got) != "201" {
					t.Errorf("a neighbour: %s", got)
				}
				mu.Lock()
				longest, others = max(longest, time.Since(sent)), others+1
				mu.Unlock()
				select {
				case <-found:
					return
				default:
				}
			}
		})
	}
	wg.Wait()
	say("poison: its client was answered after %v; meanwhile %d others were, the slowest after %v", verdict, others, longest)
	if n := len(s.ids(t, "c")); n != others+stored {
		t.Errorf("%d documents are stored, and %d were answered 201", n, others+stored)
	}
}
