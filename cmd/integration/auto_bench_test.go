package integration

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/cmd/internal/child"
	"github.com/rapidrest/rapidrest/cmd/internal/faultproxy"
	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
	"github.com/rapidrest/rapidrest/store"
)

// BenchmarkAuto compares the batch size that a buffer finds by itself with the best of a sweep: with
// the database as it is, slowed down by a delay of every reply, and as it was again. Each time the
// buffer has autoTime of load to find its size. Then it and the sizes that were the best in the sweep
// take turns: the highest of many rates that vary is one that was lucky, and the second time it isn't.
//
//	go test ./integration -run '^$' -bench Auto -benchtime 1x -args -rounds 5 -sweep 1s
//
// The PostgreSQL is that of INTEGRATION_TEST_POSTGRESQL (postgres://…, an empty database).
func BenchmarkAuto(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) {
		for range b.N {
			auto(b, mongotest.Process(b, b.TempDir()).Addr())
		}
	})
	b.Run("postgresql", func(b *testing.B) {
		if os.Getenv(postgresql) == "" {
			b.Fatalf("%s names no database", postgresql)
		}
		p, err := child.Start(child.Command{Path: os.Args[0], Env: append(os.Environ(), role+"=postgresql"), Ready: "mongodb://"})
		if err != nil {
			b.Fatal(err)
		}
		defer p.Kill()
		u, err := url.Parse(p.Line())
		if err != nil {
			b.Fatal(err)
		}
		for range b.N {
			auto(b, u.Host)
		}
	})
}

const (
	postgresql = "INTEGRATION_TEST_POSTGRESQL"
	autoTime   = 10 * time.Second
	autoDelay  = 20 * time.Millisecond
	autoRivals = 3 // sizes that are measured beside auto
)

var sweepSizes = []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}

func auto(b *testing.B, addr string) {
	proxy, err := faultproxy.Listen("127.0.0.1:0", addr)
	if err != nil {
		b.Fatal(err)
	}
	defer proxy.Close()
	s, err := store.Open(b.Context(), store.Config{URI: "mongodb://" + proxy.Addr() + "/", Database: "auto"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(context.Background())
	found := newSizing(b, s, batch.Auto)
	defer found.close()
	for i, phase := range []struct {
		name  string
		fault faultproxy.Fault
	}{
		{"as it is", faultproxy.Fault{}},
		{fmt.Sprintf("every reply %v later", autoDelay), faultproxy.Fault{Kind: faultproxy.Delay, Delay: autoDelay}},
		{"as it was", faultproxy.Fault{}},
	} {
		proxy.Set(phase.fault)
		rivals := sweep(b, s, i)
		found.run(fmt.Sprint("find", i), autoTime)
		state := found.buf.Stats().Auto
		here, best, size := duel(b, s, found, rivals, i)
		say("  %-24s auto %8.0f docs/s (size %d after %v, %d moves so far); best fixed %8.0f docs/s (size %d); ratio %.3f",
			phase.name, here, state.Size, autoTime, state.Moves, best, size, here/best)
		b.ReportMetric(here/best, fmt.Sprintf("auto/best-%d", i+1))
	}
	b.ReportMetric(0, "ns/op")
}

// sweep measures all sizes in turn and returns the best, those with the highest median first.
func sweep(b *testing.B, s *store.Store, phase int) (rivals []int) {
	rates := make(map[int][]float64)
	for round := range *roundsFlag {
		for _, n := range sweepSizes {
			rates[n] = append(rates[n], once(b, s, n, fmt.Sprint("sweep", phase, round, n)))
		}
	}
	curve := ""
	for _, n := range sweepSizes {
		curve += fmt.Sprintf(" %d:%.0f", n, median(rates[n]))
	}
	say("   %s", curve)
	rivals = slices.SortedFunc(slices.Values(sweepSizes), func(x, y int) int {
		return cmp.Compare(median(rates[y]), median(rates[x]))
	})
	return rivals[:autoRivals]
}

// once measures a fixed size in a collection of its own.
func once(b *testing.B, s *store.Store, size int, collection string) (rate float64) {
	fixed := newSizing(b, s, size)
	defer fixed.close()
	return fixed.run(collection, *sweepFlag)
}

// duel measures auto and fixed sizes in turn, and returns the median rates of auto and of the best of
// the others.
func duel(b *testing.B, s *store.Store, found *sizing, rivals []int, phase int) (here, best float64, size int) {
	rates := make(map[int][]float64)
	for round := range autoRivals * *roundsFlag {
		name := fmt.Sprint("duel", phase, round)
		rates[batch.Auto] = append(rates[batch.Auto], found.run(name, *sweepFlag))
		for _, n := range rivals {
			rates[n] = append(rates[n], once(b, s, n, fmt.Sprint(name, n)))
		}
	}
	for _, n := range rivals {
		if m := median(rates[n]); m > best {
			best, size = m, n
		}
	}
	return median(rates[batch.Auto]), best, size
}

// sizing is a buffer that is given as much as it takes.
type sizing struct {
	b    *testing.B
	s    *store.Store
	buf  *batch.Buffer
	docs [][]byte
	next uint64
	into atomic.Pointer[store.Collection]

	mu      sync.Mutex
	flushes []flushed
}

type flushed struct {
	at   time.Time
	docs int
}

func newSizing(b *testing.B, s *store.Store, size int) *sizing {
	z := &sizing{b: b, s: s, docs: surveys(b, 3)}
	pending := (ingestInflight+2)*size + 64 // so that there is always a full batch to send
	if size == batch.Auto {
		pending = (ingestInflight + 1) * 8192 // what it needs to try the largest size
	}
	var err error
	z.buf, err = batch.Open(sinkFunc(func(ctx context.Context, docs [][]byte) ([]batch.Outcome, error) {
		return z.into.Load().Insert(ctx, docs)
	}), batch.Config{
		Size: size, Inflight: ingestInflight, Pending: pending, Level: batch.Accept, FullWait: time.Minute,
		Logger: slog.New(slog.DiscardHandler),
		Hooks: batch.Hooks{Flushed: func(f batch.Flush) {
			z.mu.Lock()
			z.flushes = append(z.flushes, flushed{time.Now(), f.Docs})
			z.mu.Unlock()
		}},
	})
	if err != nil {
		b.Fatal(err)
	}
	return z
}

func (z *sizing) close() { z.buf.Close(context.Background()) }

// run adds documents to a collection of its own for a while, and until some batches are through, and
// returns how many a second were stored: from the first answer to the last before the end, so that
// neither the start nor the end of a run weighs on large batches.
func (z *sizing) run(name string, span time.Duration) (rate float64) {
	const fewest = 8
	z.into.Store(z.s.Collection(name))
	z.mu.Lock()
	z.flushes = z.flushes[:0]
	z.mu.Unlock()
	begun := time.Now()
	var all []flushed
	for {
		for range 64 {
			z.add()
		}
		if time.Since(begun) < span {
			continue
		}
		z.mu.Lock()
		if len(z.flushes) > fewest {
			all = slices.Clone(z.flushes)
		}
		z.mu.Unlock()
		if all != nil {
			break
		}
	}
	if err := z.buf.Flush(context.Background()); err != nil {
		z.b.Fatal(err)
	}
	if err := z.s.Database().Collection(name).Drop(context.Background()); err != nil {
		z.b.Fatal(err)
	}
	slices.SortFunc(all, func(a, b flushed) int { return a.at.Compare(b.at) })
	n := 0
	for _, f := range all[1:] {
		n += f.docs
	}
	return float64(n) / all[len(all)-1].at.Sub(all[0].at).Seconds()
}

// add adds one document under an _id of its own, and waits for room.
func (z *sizing) add() {
	const idAt = 4 + 1 + len("_id\x00")
	z.next++
	doc := z.docs[z.next%uint64(len(z.docs))]
	binary.BigEndian.PutUint64(doc[idAt:], z.next)
	if _, err := z.buf.Add(doc); err != nil {
		z.b.Fatal(err)
	}
}
