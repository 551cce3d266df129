package integration

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/resource"
	"github.com/rapidrest/rapidrest/store"
	"github.com/rapidrest/rapidrest/store/storetest"
)

// What one connection sends stands in a batch in the order in which it was sent, whatever other
// connections send meanwhile.
func TestABatchKeepsTheOrderOfAConnection(t *testing.T) {
	var (
		mu      sync.Mutex
		batches [][]bson.Raw
	)
	null, err := storetest.Listen("127.0.0.1:0", storetest.Config{Handle: func(c *storetest.Command) storetest.Reply {
		if c.Name == "insert" {
			var docs []bson.Raw
			for _, d := range c.Documents {
				docs = append(docs, append(bson.Raw(nil), d...))
			}
			mu.Lock()
			batches = append(batches, docs)
			mu.Unlock()
		}
		return storetest.OK
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	st, err := store.Open(t.Context(), store.Config{URI: null.URI(), Database: "d"})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close(t.Context())
	s := serveStore(t, st.Database(), st, serviceConfig{
		resource: resource.Config{Level: batch.Accept},
		batch:    batch.Config{Size: 50},
	})

	const connections, each = 4, 500
	var wg sync.WaitGroup
	for c := range connections {
		wg.Go(func() {
			var requests strings.Builder
			for n := range each {
				body := fmt.Sprintf(`{"c":%d,"n":%d}`, c, n)
				fmt.Fprintf(&requests, "POST /collections/c HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			}
			conn := s.dial(t)
			go conn.Write([]byte(requests.String()))
			for i, status := range first(readStatuses(t, conn, each)) {
				if status != "202" {
					t.Errorf("request %d of connection %d: %s", i, c, status)
				}
			}
		})
	}
	wg.Wait()
	if err := s.buffers.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}

	mu.Lock()
	defer mu.Unlock()
	total, together := 0, 0
	for i, docs := range batches {
		last := make(map[int64]int64)
		for _, d := range docs {
			c, n := d.Lookup("c").AsInt64(), d.Lookup("n").AsInt64()
			if before, ok := last[c]; ok {
				together++
				if n <= before {
					t.Errorf("batch %d: %d of connection %d stands behind %d", i, n, c, before)
				}
			}
			last[c] = n
		}
		total += len(docs)
	}
	if total != connections*each || together == 0 {
		t.Errorf("%d documents came, %d of them in company", total, together)
	}
}

func first[A, B any](a A, _ B) A { return a }
