package router

import (
	"math/rand/v2"
	"testing"

	"github.com/valyala/fasthttp"
)

var counter int

func count(*Ctx) error { counter++; return nil }

// prepared returns a set's requests that are answered with a status, shuffled.
func prepared(tb testing.TB, name string, status int) []*fasthttp.RequestCtx {
	var all []*fasthttp.RequestCtx
	for _, r := range readJSON[[]setRequest](tb, name+"_requests.json") {
		if r.Expect.Status == status {
			all = append(all, request(r.Request.Method, r.Request.Path))
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func benchmarkSets(b *testing.B, status int, h Handler) {
	for _, name := range setNames {
		b.Run(name, func(b *testing.B) {
			m := compileSet(b, name, h)
			requests := prepared(b, name, status)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				m.Serve(requests[i])
				if i++; i == len(requests) {
					i = 0
				}
			}
		})
	}
}

func BenchmarkHits(b *testing.B)   { benchmarkSets(b, fasthttp.StatusOK, count) }
func BenchmarkMisses(b *testing.B) { benchmarkSets(b, fasthttp.StatusNotFound, count) }
func BenchmarkNotAllowed(b *testing.B) {
	benchmarkSets(b, fasthttp.StatusMethodNotAllowed, count)
}

// BenchmarkHitsRead reads all parameters, as bytes.
func BenchmarkHitsRead(b *testing.B) {
	benchmarkSets(b, fasthttp.StatusOK, func(c *Ctx) error {
		for i := range c.Route().parsed.names {
			counter += len(c.ParamBytes(i))
		}
		return nil
	})
}

// BenchmarkReply measures what routing, Ctx and a JSON reply cost above a bare handler that does
// the same by hand.
func BenchmarkReply(b *testing.B) {
	type stamp struct {
		Timestamp int64 `json:"timestamp"`
	}
	table := New()
	table.Get("/timestamp", JSON(func(*Ctx, struct{}) (stamp, error) { return stamp{1700000000000}, nil }))
	table.Get("/survey/{a}/{b}", func(c *Ctx) error {
		c.SetStatusCode(fasthttp.StatusOK)
		c.Response.Header.SetContentType(jsonType)
		c.Response.SetBody(c.ParamBytes(1))
		return nil
	})
	m := mustCompile(b, table)
	bare := func(ctx *fasthttp.RequestCtx) {
		ctx.SetStatusCode(fasthttp.StatusOK)
		ctx.Response.Header.SetContentType(jsonType)
		ctx.Response.SetBodyString(`{"timestamp":1700000000000}`)
	}
	for _, r := range []struct {
		name, target string
		serve        fasthttp.RequestHandler
	}{
		{"bare", "/timestamp", bare},
		{"timestamp", "/timestamp", m.Serve},
		{"survey", "/survey/spring/anna", m.Serve},
	} {
		b.Run(r.name, func(b *testing.B) {
			ctx := request("GET", r.target)
			b.ReportAllocs()
			for b.Loop() {
				r.serve(ctx)
			}
		})
	}
}
