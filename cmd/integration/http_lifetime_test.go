package integration

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/router"
)

// TestLesson42_BodiesOutliveTheirRequest: a hundred requests on one connection, none of which waits
// for the store. fasthttp reads each body into the buffer of the one before; what is stored later
// is what was sent.
func TestLesson42_BodiesOutliveTheirRequest(t *testing.T) {
	gate := make(chan struct{})
	s := serve(t, serviceConfig{sink: func(next batch.Sink) batch.Sink { return gated{next, gate} }})
	const n = 100
	var b strings.Builder
	for i := range n {
		body := fmt.Sprintf(`{"_id":%d,"text":"%s"}`, i, strings.Repeat(string(rune('a'+i%26)), 10+i))
		fmt.Fprintf(&b, "POST /collections/c HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nPrefer: respond-async\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}
	c := s.dial(t)
	go io.WriteString(c, b.String())
	got, closed := readStatuses(t, c, n)
	if closed || strings.Count(strings.Join(got, " "), "202") != n {
		t.Fatalf("answered %v, closed: %v", got, closed)
	}
	close(gate)
	if err := s.buffers.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		var doc struct{ Text string }
		err := s.db.Collection("c").FindOne(t.Context(), bson.D{{Key: "_id", Value: i}}).Decode(&doc)
		if want := strings.Repeat(string(rune('a'+i%26)), 10+i); err != nil || doc.Text != want {
			t.Errorf("document %d holds %q, %v; want %q", i, doc.Text, err, want)
		}
	}
}

// TestLesson42_ShutdownDoesNotWaitForIdleConnections: their idle time is longer than this test waits.
func TestLesson42_ShutdownDoesNotWaitForIdleConnections(t *testing.T) {
	s := serve(t, serviceConfig{
		limits: router.Limits{IdleTimeout: 10 * patience},
		routes: func(table *router.Table) {
			table.Get("/live", func(c *router.Ctx) error { return c.Text(200, "ok") })
		},
	})
	var idle []net.Conn
	for range 5 {
		c := s.dial(t)
		io.WriteString(c, liveLine)
		if got, closed := readStatuses(t, c, 1); closed || got[0] != "200" {
			t.Fatalf("answered %v", got)
		}
		idle = append(idle, c)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := s.server.ShutdownWithContext(ctx); err != nil {
		t.Errorf("shutdown: %v", err)
	}
	for _, c := range idle {
		if rest, err := io.ReadAll(c); err != nil || len(rest) > 0 {
			t.Errorf("an idle connection ends with %q, %v", rest, err)
		}
	}
}
