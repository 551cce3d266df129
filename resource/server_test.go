package resource_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/resource"
	"github.com/rapidrest/rapidrest/router"
)

// memory is a store for documents that are posted: by collection and _id, as MongoDB has it.
type memory struct {
	mu   sync.Mutex
	docs map[string]bson.Raw
}

func (m *memory) sink(collection string) batch.Sink { return shelf{m, collection} }

type shelf struct {
	m    *memory
	name string
}

func (s shelf) Insert(_ context.Context, docs [][]byte) ([]batch.Outcome, error) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	out := make([]batch.Outcome, len(docs))
	for i, d := range docs {
		id := bson.Raw(d).Lookup("_id")
		key := fmt.Sprintf("%s/%d/%s", s.name, id.Type, id.Value)
		if _, ok := s.m.docs[key]; ok {
			out[i] = batch.Outcome{Kind: batch.Rejected, Code: 11000, DuplicateID: true, Duplicate: true}
			continue
		}
		s.m.docs[key] = bytes.Clone(d)
		out[i].Kind = batch.Stored
	}
	return out, nil
}

// newServer is a server that takes POSTs into memory.
func newServer(t testing.TB, cfg resource.Config) (*fasthttp.Server, *memory) {
	t.Helper()
	s, m, _ := newBuffered(t, cfg)
	return s, m
}

// newBuffered is newServer, with the buffers before the memory.
func newBuffered(t testing.TB, cfg resource.Config) (*fasthttp.Server, *memory, *batch.Set) {
	t.Helper()
	m := &memory{docs: make(map[string]bson.Raw)}
	log := slog.New(slog.DiscardHandler)
	cfg.Buffers = batch.NewSet(func(name string) (batch.Sink, batch.Config, error) {
		return m.sink(name), batch.Config{Logger: log}, nil
	}, batch.Limits{})
	t.Cleanup(func() { cfg.Buffers.Close(context.Background()) })
	table := router.New()
	table.Logger = log
	if err := resource.Mount(table, "/collections/{collection}", cfg); err != nil {
		t.Fatal(err)
	}
	matcher, err := table.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return router.NewServer(matcher, router.Limits{MaxBody: 1 << 20}), m, cfg.Buffers
}

// wire is a connection whose client has sent all that it will, and listens.
type wire struct {
	in  *bytes.Reader
	out bytes.Buffer
}

func (w *wire) Read(p []byte) (int, error)       { return w.in.Read(p) }
func (w *wire) Write(p []byte) (int, error)      { return w.out.Write(p) }
func (w *wire) Close() error                     { return nil }
func (w *wire) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (w *wire) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (w *wire) SetDeadline(time.Time) error      { return nil }
func (w *wire) SetReadDeadline(time.Time) error  { return nil }
func (w *wire) SetWriteDeadline(time.Time) error { return nil }

// exchange has the server read what a client sends, and returns the answers.
func exchange(t testing.TB, s *fasthttp.Server, sent string) []*http.Response {
	t.Helper()
	w := &wire{in: bytes.NewReader([]byte(sent))}
	_ = s.ServeConn(w) // the error is about what was sent; the answers say it too
	r := bufio.NewReader(&w.out)
	var answers []*http.Response
	for {
		resp, err := http.ReadResponse(r, nil)
		if err == io.EOF || err == io.ErrUnexpectedEOF && r.Buffered() == 0 {
			return answers
		}
		if err != nil {
			t.Fatalf("%q is answered by what is no response: %v", sent, err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatalf("%q: the body of answer %d: %v", sent, len(answers), err)
		}
		resp.Body = io.NopCloser(bytes.NewReader(body))
		answers = append(answers, resp)
	}
}

func post(path, headers, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s", path, headers, len(body), body)
}

// TestPostsAlone: without a store, POST is all there is, and it is whole.
func TestPostsAlone(t *testing.T) {
	s, m := newServer(t, resource.Config{})
	for _, c := range []struct {
		request, want string
	}{
		{post("/collections/c", "", `{"_id":"a"}`), `201 {"_id":"a"}`},
		{post("/collections/c", "", `{"_id":"a"}`), `409 {"type":"about:blank","title":"Conflict","status":409,"detail":"resource: a document with this _id exists"}`},
		{post("/collections/c", "", `[{"_id":"b"},{"_id":"a"}]`), `207 {"stored":1,"ids":["b",null],"errors":[{"index":1,"status":409,"detail":"a document with this _id exists"}]}`},
		{post("/collections/c", "", `[{"_id":"b"},{"_id":"a"}]`), `409 {"type":"about:blank","title":"Conflict","status":409,"detail":"resource: none of the documents was stored: a document with this _id exists",` +
			`"errors":[{"index":0,"status":409,"detail":"a document with this _id exists"},{"index":1,"status":409,"detail":"a document with this _id exists"}]}`},
		{post("/collections/c", "Prefer: respond-async\r\n", `{"_id":"c"}`), `202 {"_id":"c"}`},
		{post("/collections/c", "Prefer: return=minimal\r\n", `{"_id":"d"}`), `201 `},
		{"GET /collections/c HTTP/1.1\r\nHost: test\r\n\r\n", `405 {"type":"about:blank","title":"Method Not Allowed","status":405,"detail":"the path does not take this method"}`},
		{"GET /collections/c/a HTTP/1.1\r\nHost: test\r\n\r\n", `404 {"type":"about:blank","title":"Not Found","status":404,"detail":"no route fits the path"}`},
	} {
		answers := exchange(t, s, c.request)
		if len(answers) != 1 {
			t.Fatalf("%q has %d answers", c.request, len(answers))
		}
		body, _ := io.ReadAll(answers[0].Body)
		if got := fmt.Sprintf("%d %s", answers[0].StatusCode, body); got != c.want {
			t.Errorf("%q is answered\n%s\nwant\n%s", c.request, got, c.want)
		}
	}
	if len(m.docs) < 3 {
		t.Errorf("stored: %v", m.docs)
	}
}

func TestMountSaysWhatIsMissing(t *testing.T) {
	buffers := batch.NewSet(nil, batch.Limits{})
	for want, err := range map[string]error{
		"no Buffers":      resource.Mount(router.New(), "/c/{collection}", resource.Config{}),
		"no {collection}": resource.Mount(router.New(), "/c/{name}", resource.Config{Buffers: buffers}),
		"async level":     resource.Mount(router.New(), "/c/{collection}", resource.Config{Buffers: buffers, AsyncLevel: batch.Store}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "resource: ") {
			t.Errorf("%v, want something with %q", err, want)
		}
	}
}

// FuzzServer: whatever bytes a client sends, what comes back is HTTP, every error is a problem,
// and what was stored is as many documents as were said to be.
func FuzzServer(f *testing.F) {
	f.Add(post("/collections/c", "", `{"a":1}`) + post("/collections/c", "Prefer: wait=1\r\n", `[{"a":1},{"a":{"$x":1}}]`))
	f.Add("POST /collections/c HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}\n{}\r\n0\r\n\r\n")
	f.Add("POST /collections/c HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n")
	f.Add(post("/collections/%zz", "Idempotency-Key: k\r\nExpect: 100-continue\r\n", `{}`))
	f.Add(post("/collections/c", "Content-Encoding: gzip\r\n", "\x1f\x8b\x08\x00"))
	f.Add("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n\r\nHEAD http://a/collections/c?x=%00 HTTP/1.0\r\n\r\n")
	f.Fuzz(func(t *testing.T, sent string) {
		s, m := newServer(t, resource.Config{MaxInflated: 1 << 20, MaxBulk: 100})
		stored := 0
		for _, a := range exchangeOrHead(t, s, sent) {
			body, _ := io.ReadAll(a.Body)
			if a.StatusCode >= 400 && a.Header.Get("Content-Type") != "application/problem+json" {
				t.Fatalf("%q: a %d of type %q", sent, a.StatusCode, a.Header.Get("Content-Type"))
			}
			if a.StatusCode == 500 {
				t.Fatalf("%q: %s", sent, body)
			}
			if a.StatusCode == 201 {
				stored++
			}
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if len(m.docs) < min(stored, 1) {
			t.Fatalf("%q: %d answers say stored, and nothing is", sent, stored)
		}
		for key, d := range m.docs {
			if err := d.Validate(); err != nil {
				t.Fatalf("%q stores %s, which is no BSON: %v", sent, key, err)
			}
		}
	})
}

// exchangeOrHead is exchange, but for a HEAD: its answer names the length of a body that does
// not come, and cannot be read without knowing the request.
func exchangeOrHead(t *testing.T, s *fasthttp.Server, sent string) []*http.Response {
	if strings.Contains(sent, "HEAD") {
		_ = s.ServeConn(&wire{in: bytes.NewReader([]byte(sent))})
		return nil
	}
	return exchange(t, s, sent)
}

// BenchmarkPost is one document on its whole way but for the network: read, matched, turned into
// BSON, put into a batch, waited for, answered.
func BenchmarkPost(b *testing.B) {
	for _, level := range []batch.Level{batch.Store, batch.Accept} {
		b.Run(level.String(), func(b *testing.B) {
			nothing := batch.NewSet(func(string) (batch.Sink, batch.Config, error) { return void{}, batch.Config{}, nil }, batch.Limits{})
			defer nothing.Close(context.Background())
			table := router.New()
			if err := resource.Mount(table, "/collections/{collection}", resource.Config{Buffers: nothing, Level: level}); err != nil {
				b.Fatal(err)
			}
			matcher, err := table.Compile()
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				var ctx fasthttp.RequestCtx
				var req fasthttp.Request
				req.Header.SetMethod("POST")
				req.SetRequestURI("/collections/answers")
				req.Header.SetContentType("application/json")
				req.SetBodyString(`{"q1":"yes","q2":4,"q3":[1,2,3],"q4":"a longer answer in words, as people give them","q5":{"lat":48.2,"lon":16.37}}`)
				ctx.Init(&req, nil, nil)
				for pb.Next() {
					ctx.Response.Reset()
					matcher.Serve(&ctx)
					if ctx.Response.StatusCode() > 202 {
						b.Fatal(ctx.Response.String())
					}
				}
			})
		})
	}
}

// void is a store that takes everything and keeps nothing.
type void struct{}

func (void) Insert(_ context.Context, docs [][]byte) ([]batch.Outcome, error) {
	out := make([]batch.Outcome, len(docs))
	for i := range out {
		out[i].Kind = batch.Stored
	}
	return out, nil
}
