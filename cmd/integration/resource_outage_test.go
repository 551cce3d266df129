package integration

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
	"github.com/rapidrest/rapidrest/resource"
	"github.com/rapidrest/rapidrest/store"
)

// TestLesson45_AnOutageIsAnsweredWith503: while the database is down nothing is answered as if
// it were stored; what was taken at level accept is stored when the database is back.
func TestLesson45_AnOutageIsAnsweredWith503(t *testing.T) {
	p := mongotest.Process(t, t.TempDir())
	uri := p.URI() + "?serverSelectionTimeoutMS=500"
	st, err := store.Open(t.Context(), store.Config{URI: uri, Database: "outage"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close(t.Context()) })
	db := mongotest.Client(t, p.URI()).Database("outage")
	s := serveStore(t, db, st, serviceConfig{
		resource: resource.Config{Timeout: 5 * time.Second},
		batch:    batch.Config{AttemptTimeout: time.Second, BackoffMax: 50 * time.Millisecond},
	})
	if got := s.do(t, "POST /collections/c"+json+`{"_id":"before"}`); status(got) != "201" {
		t.Fatal(got)
	}
	p.Kill()

	// The first to ask find out; then the buffer knows, and says so at once.
	down := `
503
Content-Type: application/problem+json
Retry-After: 1

{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"resource: the store is down; nothing of this request was taken"}`
	for i := range 100 {
		got := s.do(t, "POST /collections/c\nPrefer: wait=1"+json+fmt.Sprintf(`{"_id":"during %d"}`, i))
		if status(got) == "503" {
			expect(t, got, down)
			break
		}
		if status(got) != "504" {
			t.Fatalf("the database is down: %s", got)
		}
	}
	for range 3 {
		expect(t, s.do(t, "POST /collections/c"+json+`{"_id":"refused"}`), down)
		expect(t, s.do(t, "POST /collections/c"+json+`[{"_id":"refused"}]`), down)
	}
	unreachable := `
503
Content-Type: application/problem+json
Retry-After: 1

{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"resource: the store cannot be reached"}`
	for _, r := range []string{"GET /collections/c", "GET /collections/c/before", "PUT /collections/c/x" + json + "{}", "PATCH /collections/c/before" + json + "{}", "DELETE /collections/c/before"} {
		expect(t, s.do(t, r), unreachable)
	}
	if got := s.do(t, "POST /collections/c\nPrefer: respond-async"+json+`{"_id":"kept"}`); status(got) != "202" {
		t.Errorf("level accept while the store is down: %s", got)
	}

	p.Start()
	if err := s.buffers.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.do(t, "POST /collections/c"+json+`{"_id":"after"}`); status(got) != "201" {
		t.Errorf("after the outage: %s", got)
	}
	for _, id := range []string{"before", "kept", "after"} {
		if !slices.Contains(s.ids(t, "c"), id) {
			t.Errorf("%s is not stored: %v", id, s.ids(t, "c"))
		}
	}
	if n, err := db.Collection("c").CountDocuments(t.Context(), bson.D{{Key: "_id", Value: "refused"}}); n != 0 || err != nil {
		t.Errorf("%d documents that were refused are stored (%v)", n, err)
	}
}
