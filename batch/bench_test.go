//go:build unix

package batch

import (
	"context"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rapidrest/rapidrest/batch/spool"
)

// null is a store that does nothing, at once.
type null struct{}

func (null) Insert(_ context.Context, docs [][]byte) ([]Outcome, error) {
	outcomes := make([]Outcome, len(docs))
	for i := range outcomes {
		outcomes[i].Kind = Stored
	}
	return outcomes, nil
}

// doc237 is a document of 237 bytes.
var doc237 = doc(1, 237-len(doc(1)))

// cpu returns the processor time that this process has used. On a machine that others use too, it
// says more than the clock.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func reportCPU(b *testing.B, since time.Duration, docs int) {
	b.ReportMetric(float64(cpu()-since)/float64(docs), "cpu-ns/doc")
}

// benchmarkAdd measures the whole way of a document through the buffer, the flushers' part
// included, since it ends with Flush. A full buffer is waited out.
func benchmarkAdd(b *testing.B, cfg Config) {
	cfg.FullWait = time.Minute
	buf := open(b, null{}, cfg)
	b.ReportAllocs()
	since := cpu()
	for b.Loop() {
		if _, err := buf.Add(doc237); err != nil {
			b.Fatal(err)
		}
	}
	defer func() { reportCPU(b, since, b.N) }()
	if err := buf.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkAddAccept(b *testing.B) { benchmarkAdd(b, Config{Level: Accept}) }

func BenchmarkAddStoreForgotten(b *testing.B) { benchmarkAdd(b, Config{Level: Store}) }

func BenchmarkAddSpool(b *testing.B) {
	benchmarkAdd(b, Config{Level: Spool, Dir: b.TempDir(), SpoolBytes: 8 << 30})
}

func BenchmarkAddSpoolFsync(b *testing.B) {
	benchmarkAdd(b, Config{Level: Spool, Dir: b.TempDir(), SpoolBytes: 8 << 30, Fsync: spool.FsyncBatch})
}

func benchmarkAddParallel(b *testing.B, cfg Config) {
	cfg.FullWait = time.Minute
	buf := open(b, null{}, cfg)
	b.SetParallelism(64 / runtime.GOMAXPROCS(0))
	b.ReportAllocs()
	since := cpu()
	defer func() { reportCPU(b, since, b.N) }()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			t, err := buf.Add(doc237)
			if err != nil {
				b.Error(err)
				return
			}
			if cfg.Level == Store {
				if _, err := t.Wait(context.Background()); err != nil {
					b.Error(err)
					return
				}
			}
		}
	})
	if err := buf.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkParallelAccept(b *testing.B)    { benchmarkAddParallel(b, Config{Level: Accept}) }
func BenchmarkParallelStoreWait(b *testing.B) { benchmarkAddParallel(b, Config{Level: Store}) }
func BenchmarkParallelSpool(b *testing.B) {
	benchmarkAddParallel(b, Config{Level: Spool, Dir: b.TempDir(), SpoolBytes: 8 << 30})
}
func BenchmarkParallelSpoolFsync(b *testing.B) {
	benchmarkAddParallel(b, Config{Level: Spool, Dir: b.TempDir(), SpoolBytes: 8 << 30, Fsync: spool.FsyncBatch})
}

func BenchmarkAddAll8(b *testing.B) {
	buf := open(b, null{}, Config{Level: Accept, FullWait: time.Minute})
	docs := make([][]byte, 8)
	for i := range docs {
		docs[i] = doc237
	}
	tickets := make([]Ticket, 0, 8)
	b.ReportAllocs()
	since := cpu()
	for b.Loop() {
		if _, err := buf.AddAll(docs, Entry{}, tickets[:0]); err != nil {
			b.Fatal(err)
		}
	}
	reportCPU(b, since, b.N*8)
}

// The ways to bring documents from many goroutines to one that sends them, against each other:
// each copies a document and hands every hundredth over. They say why the buffer has one lock.
func BenchmarkHandover(b *testing.B) {
	const size = 100
	run := func(name string, add func(doc []byte)) {
		b.Run(name, func(b *testing.B) {
			b.SetParallelism(64 / runtime.GOMAXPROCS(0))
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					add(doc237)
				}
			})
		})
	}
	var mutex lockedList
	run("mutex", func(d []byte) { mutex.add(d, size) })

	shards := make([]lockedList, runtime.GOMAXPROCS(0)*4)
	var turn atomic.Uint32
	run("sharded", func(d []byte) { shards[int(turn.Add(1))%len(shards)].add(d, size) })

	ch := make(chan []byte, 1024)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var list lockedList
		for d := range ch {
			list.add(d, size)
		}
	}()
	run("channel", func(d []byte) { ch <- append([]byte(nil), d...) })
	close(ch)
	<-done
}
