package integration

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/client"
	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
	"github.com/rapidrest/rapidrest/store"
)

// BenchmarkLone posts one document at a time (level store) to a server with nothing else to do, beside
// inserting one by the driver. However long batches may linger, this one must not.
//
//	go test ./integration -run '^$' -bench Lone -benchtime 1000x
func BenchmarkLone(b *testing.B) {
	for _, linger := range []string{"5ms", "1h"} {
		b.Run("linger="+linger, func(b *testing.B) { lone(b, linger) })
	}
}

func lone(b *testing.B, linger string) {
	db := mongotest.Process(b, b.TempDir())
	s, err := store.Open(b.Context(), store.Config{URI: db.URI(), Database: "rapidrest"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(context.Background())
	c := s.Collection("direct")
	docs := surveys(b, b.N+1)
	f := startServer(b, db.URI(), b.TempDir(), "--reply", "store", "--linger", linger)
	body := client.SurveyAnswers()[0]
	var req fasthttp.Request
	var resp fasthttp.Response
	req.Header.SetMethod(fasthttp.MethodPost)
	req.Header.SetContentType("application/json")
	req.SetRequestURI(f.url + "c")
	req.SetBodyRaw(body)
	var trip, posted []time.Duration
	for i := range b.N + 1 { // the first makes the collections
		begun := time.Now()
		if _, err := c.Insert(b.Context(), docs[i:i+1]); err != nil {
			b.Fatal(err)
		}
		inserted := time.Now()
		if err := fasthttp.Do(&req, &resp); err != nil || resp.StatusCode() != 201 {
			b.Fatal(resp.StatusCode(), err)
		}
		if i > 0 {
			trip, posted = append(trip, inserted.Sub(begun)), append(posted, time.Since(inserted))
		}
	}
	quantile := func(v []time.Duration, percent int) time.Duration {
		s := slices.Sorted(slices.Values(v))
		return s[(len(s)-1)*percent/100]
	}
	for _, percent := range []int{50, 99, 100} {
		say("  linger %s, %3d %%: a round trip of the database %v, an answered POST %v", linger, percent, quantile(trip, percent), quantile(posted, percent))
	}
	b.ReportMetric(float64((quantile(posted, 50) - quantile(trip, 50)).Microseconds()), "µs-above-round-trip")
}
