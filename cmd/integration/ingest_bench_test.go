package integration

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/client"
	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/store"
)

// What the way over HTTP costs in throughput, beside the least that can be done.
//
//	go test ./integration -run '^$' -bench 'Ingest|Burst' -benchtime 1x -args -rounds 9 -docs 30000
//
// A measurement is a number of arms that take turns, each several times; the median of each
// counts, and the report is of arms of the same run only.

// measure runs the arms in turn, the first round unmeasured and every second one backwards, and
// returns the median rate of each.
func measure(b *testing.B, names []string, arms map[string]func(round int) (rate float64)) map[string]float64 {
	b.Helper()
	rates := make(map[string][]float64)
	for round := range *roundsFlag + 1 {
		order := slices.Clone(names)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, name := range order {
			if rate := arms[name](round); round > 0 {
				rates[name] = append(rates[name], rate)
			}
		}
	}
	medians := make(map[string]float64)
	for name := range maps.Keys(rates) {
		medians[name] = median(rates[name])
		b.ReportMetric(medians[name], name+"-docs/s")
		say("  %-22s median %8.0f docs/s   of %.0f", name, medians[name], rates[name])
	}
	b.ReportMetric(0, "ns/op")
	return medians
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// BenchmarkIngest compares documents that are posted and awaited (level store) with a loop that
// inserts encoded documents by the cheapest path of the driver, in batches of the same size and with
// as many under way.
//
// The server runs as it comes, and once more on one processor (GOMAXPROCS=1): where the database shares
// two with it, what the server spends on waking threads is taken from the database.
func BenchmarkIngest(b *testing.B) {
	for _, row := range []struct{ batch, body int }{{16, 1}, {100, 8}} {
		b.Run(fmt.Sprintf("batch=%d/body=%d", row.batch, row.body), func(b *testing.B) {
			for range b.N {
				ingest(b, row.batch, row.body)
			}
		})
	}
}

const (
	ingestInflight    = 2
	ingestConnections = 64
)

func ingest(b *testing.B, size, body int) {
	db := mongotest.Process(b, b.TempDir())
	s, err := store.Open(b.Context(), store.Config{URI: db.URI(), Database: "rapidrest"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(context.Background())
	n := *docsFlag / (size * body) * (size * body)
	flags := []string{"--reply", "store", "--batch-size", strconv.Itoa(size), "--inflight", strconv.Itoa(ingestInflight)}
	servers := map[string]*frontend{
		"http":     startServer(b, db.URI(), b.TempDir(), flags...),
		"http-one": startServerIn(b, []string{"GOMAXPROCS=1"}, db.URI(), b.TempDir(), flags...),
	}
	names := []string{"loop", "http", "http-one"}
	arms, bills := map[string]func(int) float64{}, newBill(n)
	arms["loop"] = func(round int) float64 {
		name := fmt.Sprint("loop", round)
		defer drop(b, s, name, n)
		defer bills.start(b, "loop", map[string]int{"database": db.PID(), "client": os.Getpid()})()
		return bareLoop(b, s, name, size, n)
	}
	for arm, f := range servers {
		arms[arm] = func(round int) float64 {
			name := fmt.Sprint(arm, round)
			defer drop(b, s, name, n)
			defer bills.start(b, arm, map[string]int{"database": db.PID(), "server": f.PID(), "client": os.Getpid()})()
			r := load(b, f.url+name, n, body, ingestConnections, 1)
			if r.Status[201] != r.Requests {
				b.Fatalf("answers %v, errors %v %v", r.Status, r.Errors, r.Samples)
			}
			return r.RPS * float64(body)
		}
	}
	got := measure(b, names, arms)
	bills.say(names...)
	for _, arm := range names[1:] {
		ratio, f := got[arm]/got["loop"], servers[arm]
		b.ReportMetric(ratio, arm+"/loop")
		say("  batch %d, bodies of %d: %s/loop = %.3f (at least 0.85 is asked for); %.1f documents in a batch",
			size, body, arm, ratio, f.metric(b, "batch_documents_sum")/f.metric(b, "batch_documents_count"))
	}
}

// bill adds up the processor time that the processes of a measurement have in each arm. Where all
// of them share the cores it says what a rate is made of, whatever else runs on the machine. A
// database of this kind also collects garbage while it has nothing better to do.
type bill struct {
	docs  int
	spent map[string]map[string]time.Duration // by arm and process
	runs  map[string]int
}

func newBill(docs int) *bill {
	return &bill{docs, make(map[string]map[string]time.Duration), make(map[string]int)}
}

// start begins to bill an arm for the processes that take part in it; stop ends it.
func (l *bill) start(b *testing.B, arm string, pids map[string]int) (stop func()) {
	if l.spent[arm] == nil {
		l.spent[arm] = make(map[string]time.Duration)
	}
	for process, pid := range pids {
		l.spent[arm][process] -= cpu(b, pid)
	}
	return func() {
		for process, pid := range pids {
			l.spent[arm][process] += cpu(b, pid)
		}
		l.runs[arm]++
	}
}

// say prints the time of each process for a document, by arm.
func (l *bill) say(arms ...string) {
	for _, arm := range arms {
		line := ""
		for _, process := range slices.Sorted(maps.Keys(l.spent[arm])) {
			each := l.spent[arm][process] / time.Duration(l.docs*l.runs[arm])
			line += fmt.Sprintf("  %s %v", process, each.Round(100*time.Nanosecond))
		}
		say("  %-22s processor time of a document: %s", arm, line)
	}
}

// bareLoop inserts n documents and returns how many a second that were.
func bareLoop(b *testing.B, s *store.Store, name string, size, n int) float64 {
	c := s.Collection(name)
	docs := surveys(b, n)
	batches := make(chan [][]byte, n/size)
	for part := range slices.Chunk(docs, size) {
		batches <- part
	}
	close(batches)
	var wg sync.WaitGroup
	begun := time.Now()
	for range ingestInflight {
		wg.Go(func() {
			for part := range batches {
				if _, err := c.Insert(context.Background(), part); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return float64(n) / time.Since(begun).Seconds()
}

// surveys encodes n documents as the server would.
func surveys(t testing.TB, n int) [][]byte {
	t.Helper()
	texts := client.SurveyAnswers()
	docs := make([][]byte, n)
	for i := range docs {
		doc, _, err := document.Append(nil, texts[i%len(texts)], &document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		docs[i] = doc
	}
	return docs
}

// load sends n documents, body of them in a request, and reports what became of them.
func load(t testing.TB, url string, n, body, connections, pipeline int) *client.Result {
	t.Helper()
	cfg := client.Config{URL: url, Requests: int64(n / body), Connections: connections, Pipeline: pipeline}
	if body > 1 {
		texts := client.SurveyAnswers()
		var lines [][]byte
		for i := range body {
			lines = append(lines, texts[i%len(texts)])
		}
		cfg.Bodies = [][]byte{bytes.Join(lines, []byte("\n"))}
		cfg.Header = []string{"Content-Type: application/x-ndjson"}
	}
	r, err := client.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// drop makes sure that a collection holds n documents and removes it.
func drop(t testing.TB, s *store.Store, name string, n int) {
	t.Helper()
	c := s.Database().Collection(name)
	if held, err := c.CountDocuments(context.Background(), bson.D{}); err != nil || held != int64(n) {
		t.Errorf("%s holds %d documents, and %d were stored (%v)", name, held, n, err)
	}
	if err := c.Drop(context.Background()); err != nil {
		t.Error(err)
	}
}

// BenchmarkBurst compares what a server takes in that is not awaited, with the database behind it and
// with nothing behind it. The burst is as large as what the server may hold.
//
// A database stores what comes while the rest still comes. Here it runs on the same cores, of which
// the server then has less. What a database with a machine of its own would leave to the server is
// seen where it has the lowest priority, and takes what the others don't want.
func BenchmarkBurst(b *testing.B) {
	for _, yields := range []bool{true, false} {
		b.Run(fmt.Sprintf("yields=%v", yields), func(b *testing.B) {
			for range b.N {
				burst(b, yields)
			}
		})
	}
}

func burst(b *testing.B, yields bool) {
	p := mongotest.Process(b, b.TempDir())
	if yields {
		yield(b, p.PID())
	}
	db, null := p.URI(), startNull(b)
	n := *docsFlag
	arm := func(uri, level string) func(int) float64 {
		f := startServer(b, uri, b.TempDir(), "--reply", level, "--fsync", "never", "--pending", strconv.Itoa(n))
		return func(round int) float64 {
			defer f.drain(b)
			r := load(b, f.url+fmt.Sprint(level, round), n, 1, client.DefaultConnections, client.DefaultPipeline)
			if r.Status[202] != r.Requests {
				b.Fatalf("answers %v, errors %v %v", r.Status, r.Errors, r.Samples)
			}
			return r.RPS
		}
	}
	got := measure(b, []string{"nothing", "accept", "spool", "nothing-spooled"}, map[string]func(int) float64{
		"nothing":         arm(null, "accept"),
		"accept":          arm(db, "accept"),
		"spool":           arm(db, "spool"),
		"nothing-spooled": arm(null, "spool"),
	})
	say("  with a burst of %d; the database yields: %v", n, yields)
	for _, row := range [][2]string{{"accept", "nothing"}, {"spool", "nothing"}, {"spool", "nothing-spooled"}} {
		ratio := got[row[0]] / got[row[1]]
		b.ReportMetric(ratio, row[0]+"/"+row[1])
		say("  %s/%s = %.3f", row[0], row[1], ratio)
	}
}
