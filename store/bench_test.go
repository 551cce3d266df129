package store_test

import (
	"context"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/store"
)

// surveyDocument is one of 237 bytes, the size of a survey's answers.
func surveyDocument(b *testing.B) []byte {
	b.Helper()
	answers := bson.D{}
	for i := range 8 {
		answers = append(answers, bson.E{Key: "q" + strconv.Itoa(i), Value: "answer " + strconv.Itoa(i)})
	}
	d := bson.D{{Key: "_id", Value: bson.NewObjectID()}, {Key: "user", Value: "u1"}, {Key: "answers", Value: answers}, {Key: "pad", Value: ""}}
	raw, err := bson.Marshal(d)
	if err != nil {
		b.Fatal(err)
	}
	d[3].Value = strings.Repeat("x", 237-len(raw))
	if raw, err = bson.Marshal(d); err != nil || len(raw) != 237 {
		b.Fatal(len(raw), err)
	}
	return raw
}

// meter reports the CPU time and the allocations of this process, by document.
type meter struct {
	b      *testing.B
	usage  syscall.Rusage
	memory runtime.MemStats
}

func startMeter(b *testing.B) *meter {
	m := &meter{b: b}
	runtime.GC()
	runtime.ReadMemStats(&m.memory)
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &m.usage); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	return m
}

func (m *meter) stop(docs int) {
	m.b.StopTimer()
	var (
		usage  syscall.Rusage
		memory runtime.MemStats
	)
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		m.b.Fatal(err)
	}
	runtime.ReadMemStats(&memory)
	cpu := time.Duration(usage.Utime.Nano() + usage.Stime.Nano() - m.usage.Utime.Nano() - m.usage.Stime.Nano())
	m.b.ReportMetric(float64(cpu.Nanoseconds())/float64(docs), "cpu-ns/doc")
	m.b.ReportMetric(float64(memory.Mallocs-m.memory.Mallocs)/float64(docs), "allocs/doc")
	m.b.ReportMetric(0, "ns/op") // time is the server's and the scheduler's too
}

// inFlight calls insert until docs documents are through, from two goroutines.
func inFlight(b *testing.B, batches int, insert func() error) {
	var (
		left atomic.Int64
		wg   sync.WaitGroup
	)
	left.Store(int64(batches))
	for range 2 {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := insert(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkClient is the CPU time of the client, sockets included, for each 237-byte
// document, against a server that does nothing and runs as a process of its own:
// by the two ways of this package, and by the driver's InsertMany. An operation is
// a batch.
func BenchmarkClient(b *testing.B) {
	uri := nullServer(b)
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		b.Fatal(err)
	}
	defer client.Disconnect(context.Background())
	owned, err := store.Open(b.Context(), store.Config{URI: uri, Database: "db"})
	if err != nil {
		b.Fatal(err)
	}
	defer owned.Close(context.Background())
	used, err := store.Use(b.Context(), client.Database("db"), nil)
	if err != nil {
		b.Fatal(err)
	}
	one := surveyDocument(b)
	for _, size := range []int{1, 10, 100, 1000} {
		docs := make([][]byte, size)
		raws := make([]any, size)
		for i := range docs {
			docs[i] = one
			raws[i] = bson.Raw(one)
		}
		run := func(name string, insert func() error) {
			b.Run(name+"/"+strconv.Itoa(size), func(b *testing.B) {
				m := startMeter(b)
				inFlight(b, b.N, insert)
				m.stop(b.N * size)
			})
		}
		operation, command := owned.Collection("c"), used.Collection("c")
		many := client.Database("db").Collection("c")
		run("operation", func() error { _, err := operation.Insert(b.Context(), docs); return err })
		run("command", func() error { _, err := command.Insert(b.Context(), docs); return err })
		unordered := options.InsertMany().SetOrdered(false)
		run("InsertMany", func() error { _, err := many.InsertMany(b.Context(), raws, unordered); return err })
	}
}

// BenchmarkAdd is the same from batch.Buffer's Add to the socket, in batches of 100
// with two in flight: what a document costs the process after it has been parsed.
func BenchmarkAdd(b *testing.B) {
	s, err := store.Open(b.Context(), store.Config{URI: nullServer(b), Database: "db"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(context.Background())
	const size = 100
	for _, level := range []batch.Level{batch.Accept, batch.Store} {
		b.Run(level.String(), func(b *testing.B) {
			buf, err := batch.Open(s.Collection("c"), batch.Config{Size: size, Inflight: 2, Level: level, Pending: 10 * size, FullWait: time.Minute})
			if err != nil {
				b.Fatal(err)
			}
			one := surveyDocument(b)
			m := startMeter(b)
			inFlight(b, b.N, func() error {
				for range size {
					if _, err := buf.Add(one); err != nil {
						return err
					}
				}
				return nil
			})
			if err := buf.Flush(b.Context()); err != nil {
				b.Fatal(err)
			}
			m.stop(b.N * size)
			if n := buf.Stats().Stored; n != uint64(b.N*size) {
				b.Errorf("%d stored, %d added", n, b.N*size)
			}
			if err := buf.Close(b.Context()); err != nil {
				b.Fatal(err)
			}
		})
	}
}
