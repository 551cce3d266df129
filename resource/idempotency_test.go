package resource_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/resource"
	"github.com/rapidrest/rapidrest/router"
)

// answered is what one of several requests that came at once was told.
type answered struct {
	n, status int
	body      string
}

// TestIdempotencyKey_BodiesAtOnce: of bodies that come at once under one key, without waiting
// for the store, one is taken and is what the store holds. The others hear of it.
func TestIdempotencyKey_BodiesAtOnce(t *testing.T) {
	const rounds, clients, bodies = 100, 10, 5
	for name, shape := range map[string]string{"one": `{"n":%d}`, "bulk": `[{"n":%d}]`} {
		t.Run(name, func(t *testing.T) {
			s, m, buffers := newBuffered(t, resource.Config{})
			won := make(map[string]bool) // bodies that were taken
			for round := range rounds {
				answers := make([]answered, clients)
				start := make(chan struct{})
				var all sync.WaitGroup
				for i := range answers {
					all.Go(func() {
						<-start
						n := round*bodies + i%bodies
						got := exchange(t, s, post("/collections/c", fmt.Sprintf("Prefer: respond-async\r\nIdempotency-Key: k%d\r\n", round), fmt.Sprintf(shape, n)))[0]
						body, _ := io.ReadAll(got.Body)
						answers[i] = answered{n, got.StatusCode, string(body)}
					})
				}
				close(start)
				all.Wait()
				won[fmt.Sprint(winner(t, answers))] = true
			}
			if err := buffers.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, d := range m.docs {
				if n := fmt.Sprint(d.Lookup("n").AsInt64()); !won[n] {
					t.Errorf("the store holds %s, which no client was promised", n)
				}
			}
			if len(m.docs) != rounds {
				t.Errorf("%d documents, want %d", len(m.docs), rounds)
			}
		})
	}
}

// winner is the body that was taken; every request that sent it has the same answer, and every
// other a 422.
func winner(t *testing.T, answers []answered) int {
	t.Helper()
	var first *answered
	for i := range answers {
		a := &answers[i]
		switch {
		case a.status == 422:
		case a.status != 202:
			t.Fatalf("%d %s", a.status, a.body)
		case first == nil:
			first = a
		case *a != *first:
			t.Fatalf("two answers: %v and %v", *first, *a)
		}
	}
	if first == nil {
		t.Fatal("no body was taken")
	}
	for _, a := range answers {
		if a.n == first.n && a.status != 202 {
			t.Fatalf("the body that was taken, sent again: %d %s", a.status, a.body)
		}
	}
	return first.n
}

// picky rejects what has "bad", and stores the rest.
type picky struct{ batch.Sink }

func (p picky) Insert(ctx context.Context, docs [][]byte) ([]batch.Outcome, error) {
	out := make([]batch.Outcome, len(docs))
	for i, d := range docs {
		if _, err := bson.Raw(d).LookupErr("bad"); err == nil {
			out[i] = batch.Outcome{Kind: batch.Rejected, Reason: "bad"}
			continue
		}
		one, err := p.Sink.Insert(ctx, docs[i:i+1])
		if err != nil {
			return nil, err
		}
		out[i] = one[0]
	}
	return out, nil
}

// TestIdempotencyKey_FreeAfterARefusal: a document that was not taken, by the buffer or by the
// store, leaves its key to another body.
func TestIdempotencyKey_FreeAfterARefusal(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	m := &memory{docs: make(map[string]bson.Raw)}
	set := batch.NewSet(func(name string) (batch.Sink, batch.Config, error) {
		return picky{m.sink(name)}, batch.Config{Logger: log, Bytes: 1 << 10, PendingBytes: 1 << 10}, nil
	}, batch.Limits{})
	t.Cleanup(func() { set.Close(context.Background()) })
	table := router.New()
	if err := resource.Mount(table, "/collections/{collection}", resource.Config{Buffers: set}); err != nil {
		t.Fatal(err)
	}
	matcher, err := table.Compile()
	if err != nil {
		t.Fatal(err)
	}
	s := router.NewServer(matcher, router.Limits{})
	large := strings.Repeat("x", 2<<10)
	for i, c := range []struct{ prefer, refused, taken string }{
		{"", `{"s":"` + large + `"}`, `{"n":1}`},
		{"Prefer: respond-async\r\n", `{"s":"` + large + `"}`, `{"n":2}`},
		{"", `[{"s":"` + large + `"}]`, `[{"n":3}]`},
		{"", `{"bad":1}`, `{"n":4}`},
		{"", `[{"bad":1}]`, `[{"n":5}]`},
	} {
		headers := fmt.Sprintf("%sIdempotency-Key: k%d\r\n", c.prefer, i)
		if got := exchange(t, s, post("/collections/c", headers, c.refused))[0].StatusCode; got < 400 {
			t.Errorf("%.40s: %d, want a refusal", c.refused, got)
		}
		if got := exchange(t, s, post("/collections/c", headers, c.taken))[0].StatusCode; got >= 300 {
			t.Errorf("%s after a refusal: %d", c.taken, got)
		}
	}
}
