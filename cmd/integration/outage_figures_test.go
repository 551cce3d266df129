package integration

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
)

// What clients see while the database is away, and that nothing is lost that was taken.
//
//	go test ./integration -run TestOutage -v -args -outage 60s
//
// The tests hold the answers to what was promised; the times are printed.

const (
	outageClients = 32
	outageWait    = 2 * time.Second // that a client waits for the store, at level store
	longOutage    = 30 * time.Second
	fixedMemory   = 200 << 20 // that a server may use beside its documents, in bytes
)

// crowd is clients that post documents of about 1 KiB, one after the other, each with an _id that
// nobody else has.
type crowd struct {
	url     string
	prefer  string
	begun   time.Time
	stop    context.CancelFunc
	wg      sync.WaitGroup
	mu      sync.Mutex
	answers []answer
}

type answer struct {
	id     string
	status int // 0: none
	retry  bool
	at     time.Duration // since the load began
	took   time.Duration
}

var pad = strings.Repeat("x", 1000)

func startCrowd(t *testing.T, url, prefer string) *crowd {
	ctx, stop := context.WithCancel(t.Context())
	l := &crowd{url: url, prefer: prefer, begun: time.Now(), stop: stop}
	t.Cleanup(stop)
	for c := range outageClients {
		l.wg.Go(func() {
			var own []answer
			host := &fasthttp.HostClient{Addr: strings.Split(strings.TrimPrefix(url, "http://"), "/")[0], MaxConns: 1}
			for n := 0; ctx.Err() == nil; n++ {
				own = append(own, l.post(host, fmt.Sprintf("%d-%d", c, n)))
			}
			l.mu.Lock()
			l.answers = append(l.answers, own...)
			l.mu.Unlock()
		})
	}
	return l
}

func (l *crowd) post(host *fasthttp.HostClient, id string) answer {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.Header.SetMethod(fasthttp.MethodPost)
	req.Header.SetContentType("application/json")
	if l.prefer != "" {
		req.Header.Set("Prefer", l.prefer)
	}
	req.SetRequestURI(l.url)
	req.SetBodyString(`{"_id":"` + id + `","pad":"` + pad + `"}`)
	a := answer{id: id, at: time.Since(l.begun)}
	if host.DoTimeout(req, resp, patience) == nil {
		a.status, a.retry = resp.StatusCode(), len(resp.Header.Peek("Retry-After")) > 0
	}
	a.took = time.Since(l.begun) - a.at
	return a
}

// end stops the clients and returns what they were answered.
func (l *crowd) end() []answer {
	l.stop()
	l.wg.Wait()
	return l.answers
}

func TestOutage(t *testing.T) {
	room := 8 << 20
	if *outageFlag >= longOutage {
		room = 128 << 20
	}
	for level, taken := range map[string]int{"accept": 202, "spool": 202, "store": 201} {
		t.Run(level, func(t *testing.T) {
			db := mongotest.Process(t, t.TempDir())
			f := startServer(t, db.URI(), t.TempDir(), "--reply", level, "--pending", "10000000", "--pending-bytes", fmt.Sprint(room))
			prefer := ""
			if level == "store" {
				prefer = fmt.Sprintf("wait=%d", int(outageWait.Seconds()))
			}
			if _, err := mongotest.Client(t, db.URI()).Database("rapidrest").Collection("c").InsertOne(t.Context(), bson.D{{Key: "_id", Value: "first"}}); err != nil {
				t.Fatal(err) // a database that is killed while it makes the collection may not start again
			}
			l := startCrowd(t, f.url+"c", prefer)
			time.Sleep(*outageFlag / 4) // of load with the database there
			db.Kill()
			killed := time.Since(l.begun)
			for f.metric(t, "store_down") == 0 {
				time.Sleep(time.Millisecond)
			}
			known := time.Since(l.begun) - killed
			time.Sleep(*outageFlag - known)
			back := time.Since(l.begun)
			db.Start()
			answers := l.end()
			f.drain(t)

			_, peak := rss(t, f.PID())
			say("level %s, %v without the database, known after %v, room for %d MiB: peak of resident memory %d MiB",
				level, back-killed, known, room>>20, peak>>20)
			if peak > int64(room)+fixedMemory {
				t.Errorf("%d MiB of memory", peak>>20)
			}
			sayAnswers(answers, killed, back)
			checkAnswers(t, answers, taken, heldIDs(t, db.URI()))
		})
	}
}

// sayAnswers prints what was answered while the database was away.
func sayAnswers(answers []answer, killed, back time.Duration) {
	times := make(map[int][]time.Duration)
	known := back
	for _, a := range answers {
		if a.at > killed && a.at < back {
			times[a.status] = append(times[a.status], a.took)
			if a.status == 503 {
				known = min(known, a.at+a.took)
			}
		}
	}
	if len(times[503]) > 0 {
		say("  first 503 %v after the end of the database", known-killed)
	}
	for _, status := range slices.Sorted(maps.Keys(times)) {
		v := slices.Sorted(slices.Values(times[status]))
		say("  %d: %7d answers, median %8v, 99 %% %8v, longest %8v", status, len(v), v[len(v)/2], v[len(v)*99/100], v[len(v)-1])
	}
}

// checkAnswers holds what the clients were told against what the database has.
func checkAnswers(t *testing.T, answers []answer, taken int, held map[string]bool) {
	t.Helper()
	promised, refused := 0, 0
	for _, a := range answers {
		switch a.status {
		case taken:
			promised++
			if !held[a.id] {
				t.Fatalf("%s was answered %d and is not stored", a.id, a.status)
			}
		case 503:
			refused++
			if !a.retry {
				t.Fatalf("503 without Retry-After for %s", a.id)
			}
			if held[a.id] {
				t.Fatalf("%s was refused and is stored", a.id)
			}
		case 504: // still on its way, says the answer, and it was
			if taken != 201 || !held[a.id] {
				t.Fatalf("%s was answered 504; stored: %v", a.id, held[a.id])
			}
		default:
			t.Fatalf("%s was answered %d", a.id, a.status)
		}
	}
	say("  %d answered %d: all stored; %d refused: none stored", promised, taken, refused)
}

// heldIDs returns the _id of every document.
func heldIDs(t *testing.T, uri string) map[string]bool {
	t.Helper()
	c := mongotest.Client(t, uri).Database("rapidrest").Collection("c")
	cursor, err := c.Find(t.Context(), bson.D{}, options.Find().SetProjection(bson.D{{Key: "_id", Value: 1}}).SetBatchSize(10_000))
	if err != nil {
		t.Fatal(err)
	}
	held := make(map[string]bool)
	for cursor.Next(t.Context()) {
		held[cursor.Current.Lookup("_id").StringValue()] = true
	}
	if err := cursor.Err(); err != nil {
		t.Fatal(err)
	}
	return held
}

// A server that finds no database at its start takes documents into its spool.
func TestOutageAtTheStart(t *testing.T) {
	db := mongotest.Process(t, t.TempDir())
	db.Kill()
	begun := time.Now()
	f := startServer(t, db.URI(), t.TempDir(), "--reply", "spool")
	say("level spool without a database: ready after %v", time.Since(begun))
	l := startCrowd(t, f.url+"c", "")
	time.Sleep(*outageFlag / 4)
	answers := l.end()
	db.Start()
	begun = time.Now()
	f.drain(t)
	say("  the database is there: everything delivered after %v", time.Since(begun))
	sayAnswers(answers, 0, time.Hour)
	checkAnswers(t, answers, 202, heldIDs(t, db.URI()))
}
