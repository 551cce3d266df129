package integration

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/resource"
)

func keyed(key, prefer, body string) string {
	return "POST /collections/c\nIdempotency-Key: " + key + prefer + json + body
}

func TestIdempotencyKey(t *testing.T) {
	for name, prefer := range map[string]string{"store": "", "accept": "\nPrefer: respond-async"} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, serviceConfig{})
			first := s.do(t, keyed("k1", prefer, `{"n":1}`))
			if !strings.HasPrefix(status(first), "20") {
				t.Fatal(first)
			}
			for range 3 {
				expect(t, s.do(t, keyed("k1", prefer, `{"n":1}`)), first)
			}
			if err := s.buffers.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			expect(t, s.do(t, keyed(`"k1"`, prefer, ` {"n": 1}`)), first) // the same key, quoted; the same document
			conflict := problem(422, "Unprocessable Entity", "resource: this Idempotency-Key was used with another body")
			expect(t, s.do(t, keyed("k1", prefer, `{"n":2}`)), conflict)
			if other := s.do(t, keyed("k2", prefer, `{"n":1}`)); body(other) == body(first) {
				t.Errorf("two keys make one _id: %s", other)
			}
			if err := s.buffers.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			if ids := s.ids(t, "c"); len(ids) != 2 {
				t.Errorf("stored: %v", ids)
			}
		})
	}
}

// TestIdempotencyKey_AnotherServer: the key needs no memory of the server that saw it first.
func TestIdempotencyKey_AnotherServer(t *testing.T) {
	a := serve(t, serviceConfig{})
	b := serve(t, serviceConfig{on: a})
	first := a.do(t, keyed("k", "", `{"n":1}`))
	expect(t, b.do(t, keyed("k", "", `{"n":1}`)), first)
	for _, prefer := range []string{"", "\nPrefer: respond-async"} {
		if got := b.do(t, keyed("k", prefer, `{"n":2}`)); status(got) != "422" {
			t.Errorf("another body: %s", got)
		}
	}
	if got := b.do(t, keyed("k", "\nPrefer: respond-async", `{"n":1}`)); status(got) != "202" || body(got) != body(first) {
		t.Errorf("the same, without waiting: %s", got)
	}
}

// TestIdempotencyKey_BeforeTheFirstIsStored: another body is noticed while the first is on its way.
func TestIdempotencyKey_BeforeTheFirstIsStored(t *testing.T) {
	gate := make(chan struct{})
	s := serve(t, serviceConfig{sink: func(next batch.Sink) batch.Sink { return gated{next, gate} }})
	async := "\nPrefer: respond-async"
	first := s.do(t, keyed("k", async, `{"n":1}`))
	if status(first) != "202" {
		t.Fatal(first)
	}
	if got := s.do(t, keyed("k", async, `{"n":2}`)); status(got) != "422" {
		t.Errorf("another body: %s", got)
	}
	expect(t, s.do(t, keyed("k", async, `{"n":1}`)), first)
	close(gate)
	if err := s.buffers.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ids := s.ids(t, "c"); len(ids) != 1 {
		t.Errorf("stored: %v", ids)
	}
}

func TestIdempotencyKey_Bulk(t *testing.T) {
	s := serve(t, serviceConfig{})
	first := s.do(t, keyed("k", "", `[{"n":1},{"n":2},{"_id":"own","n":3}]`))
	if status(first) != "201" {
		t.Fatal(first)
	}
	expect(t, s.do(t, keyed("k", "", `[{"n":1},{"n":2},{"_id":"own","n":3}]`)), first)
	got := s.do(t, keyed("k", "", `[{"n":1},{"n":22},{"_id":"own","n":33},{"n":4}]`))
	if status(got) != "207" || !strings.Contains(body(got), `{"index":1,"status":422,`) || !strings.Contains(body(got), `{"index":2,"status":409,`) || !strings.HasPrefix(body(got), `{"stored":2,`) {
		t.Errorf("a bulk that differs: %s", got)
	}
	if ids := s.ids(t, "c"); len(ids) != 4 {
		t.Errorf("stored: %v", ids)
	}
}

// TestIdempotencyKey_BulkRepeated: below level store a bulk is answered as the first time too,
// by the server that took it and by another, which finds it in the store.
func TestIdempotencyKey_BulkRepeated(t *testing.T) {
	a := serve(t, serviceConfig{})
	b := serve(t, serviceConfig{on: a})
	request := keyed("k", "\nPrefer: respond-async", `[{"n":1},{"n":2}]`)
	first := a.do(t, request)
	if status(first) != "202" || header(first, "Preference-Applied") != "respond-async, level=accept" || !strings.HasPrefix(body(first), `{"accepted":2,`) {
		t.Fatal(first)
	}
	expect(t, a.do(t, request), first)
	if err := a.buffers.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect(t, a.do(t, request), first)
	expect(t, b.do(t, request), first)
}

// TestIdempotencyKey_ManyAtOnce: twenty clients send the same request, and one document is stored.
func TestIdempotencyKey_ManyAtOnce(t *testing.T) {
	s := serve(t, serviceConfig{})
	answers := make([]string, 20)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = s.do(t, keyed("k", "", `{"n":1}`)) })
	}
	all.Wait()
	for _, a := range answers {
		expect(t, a, answers[0])
	}
	if ids := s.ids(t, "c"); len(ids) != 1 || status(answers[0]) != "201" {
		t.Errorf("answered %s, stored: %v", answers[0], ids)
	}
}

func TestIdempotencyKey_Malformed(t *testing.T) {
	s := serve(t, serviceConfig{resource: resource.Config{}})
	for _, key := range []string{`""`, strings.Repeat("k", 256)} {
		if got := s.do(t, keyed(key, "", `{}`)); status(got) != "400" {
			t.Errorf("%.20s: %s", key, got)
		}
	}
	// The same key in another collection is another request.
	if got := s.do(t, fmt.Sprintf("POST /collections/%s\nIdempotency-Key: k%s{}", "d", json)); status(got) != "201" {
		t.Error(got)
	}
}
