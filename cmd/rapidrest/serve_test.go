package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/rapidrest/rapidrest/client"
	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
)

// serve starts `rapidrest serve` over the database db.
func serve(t *testing.T, db *mongo.Database, flags ...string) *command {
	t.Helper()
	return serveURI(t, mongotest.URI(t), db.Name(), flags...)
}

func serveURI(t *testing.T, uri, database string, flags ...string) *command {
	t.Helper()
	return start(t, append([]string{"serve", "--listen", "127.0.0.1:0", "--mongo-uri", uri, "--database", database}, flags...)...)
}

// idOf reads {"_id":"…"}.
func idOf(t *testing.T, a answer) string {
	t.Helper()
	var v struct {
		ID string `json:"_id"`
	}
	if err := json.Unmarshal([]byte(a.body), &v); err != nil || v.ID == "" {
		t.Fatalf("status %d, body %s: no _id", a.status, a.body)
	}
	return v.ID
}

// The newcomer's first minutes: no MongoDB, one command, one POST, one GET; and any MongoDB client
// can look into the database whose URI it prints.
func TestServeWithTheEmbeddedDatabase(t *testing.T) {
	data := t.TempDir()
	c := startBinary(t, mongotest.Binary(t), "serve", "--listen", "127.0.0.1:0", "--data", data, "--reply", "store")
	uri := c.line("database at ")
	url := c.url()

	posted := send(t, "POST", url+"/collections/answers", `{"user":"ann","score":7}`)
	if posted.status != http.StatusCreated {
		t.Fatalf("POST: %d %s, want 201", posted.status, posted.body)
	}
	id := idOf(t, posted)
	if got, want := posted.header.Get("Location"), "/collections/answers/"+id; got != want {
		t.Errorf("Location %q, want %q", got, want)
	}
	want := `{"_id":"` + id + `","user":"ann","score":7}`
	if got := send(t, "GET", url+"/collections/answers/"+id, ""); got.status != 200 || got.body != want {
		t.Errorf("GET: %d %s, want 200 %s", got.status, got.body, want)
	}
	docs := documents(t, mongotest.Client(t, uri).Database("rapidrest"), "answers")
	if len(docs) != 1 || docs[0][1] != (bson.E{Key: "user", Value: "ann"}) || docs[0][2] != (bson.E{Key: "score", Value: int32(7)}) {
		t.Errorf("a MongoDB client sees %v", docs)
	}
	if code := c.terminate(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}

	again := startBinary(t, mongotest.Binary(t), "serve", "--listen", "127.0.0.1:0", "--data", data)
	if got := send(t, "GET", again.url()+"/collections/answers/"+id, ""); got.body != want {
		t.Errorf("after a restart: %d %s, want %s", got.status, got.body, want)
	}
}

func TestServeRefusesAForbiddenCollection(t *testing.T) {
	db := mongotest.Database(t)
	url := serve(t, db, "--collections", "answers,log_*", "--reply", "store").url()
	for path, want := range map[string]int{
		"/collections/answers": 201, "/collections/log_x": 201,
		"/collections/other": 403, "/collections/system.users": 403,
	} {
		if got := send(t, "POST", url+path, `{}`); got.status != want {
			t.Errorf("%s: %d %s, want %d", path, got.status, got.body, want)
		}
	}
}

func TestServeHoldsDocumentsAgainstASchema(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "answers.json"), `{"type":"object","required":["user"],"properties":{"user":{"type":"string"}}}`)
	url := serve(t, mongotest.Database(t), "--schema", "answers="+file, "--reply", "store").url()
	for _, tt := range []struct {
		collection, body string
		status           int
	}{
		{"answers", `{"user":"ann"}`, 201}, {"answers", `{"user":7}`, 422}, {"answers", `{}`, 422}, {"others", `{}`, 201},
	} {
		if got := send(t, "POST", url+"/collections/"+tt.collection, tt.body); got.status != tt.status {
			t.Errorf("%s %s: %d %s, want %d", tt.collection, tt.body, got.status, got.body, tt.status)
		}
	}
	c := serve(t, mongotest.Database(t), "--schema", "answers=not/there.json")
	if code := c.exit(); code != exitFailed || strings.Count(c.stderr.String(), "\n") != 1 {
		t.Errorf("a schema that isn't there: exit code %d, %q; want one line", code, c.stderr.String())
	}
}

func TestServeLimitsTheBody(t *testing.T) {
	url := serve(t, mongotest.Database(t), "--max-body", "1KiB").url()
	big := `{"text":"` + strings.Repeat("x", 2000) + `"}`
	if got := send(t, "POST", url+"/collections/answers", big); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %s, want 413", got.status, got.body)
	}
}

// The database is down at start: one line that names it, exit code 1.
func TestServeSaysThatTheDatabaseIsDown(t *testing.T) {
	for _, reply := range []string{"store", "accept"} {
		c := serveURI(t, "mongodb://127.0.0.1:1/", "d", "--reply", reply)
		if code := c.exit(); code != exitFailed {
			t.Errorf("--reply %s: exit code %d, want %d", reply, code, exitFailed)
		}
		if said := c.stderr.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "127.0.0.1:1") {
			t.Errorf("--reply %s: it says %q; want one line with the address", reply, said)
		}
	}
}

// The database goes down later: level store answers 503 with Retry-After, the other levels take
// documents, and once the database is back they are stored. /ready says how it is.
func TestServeOutlivesItsDatabase(t *testing.T) {
	db := mongotest.Process(t, t.TempDir())
	c := serveURI(t, db.URI(), "d", "--reply", "store")
	url := c.url()
	if got := send(t, "POST", url+"/collections/answers", `{"n":0}`); got.status != 201 {
		t.Fatalf("before: %d %s, want 201", got.status, got.body)
	}

	db.Kill()
	await(t, "/ready says 503", func() bool { return send(t, "GET", url+"/ready", "").status == 503 })
	if got := send(t, "GET", url+"/live", ""); got.status != 200 {
		t.Errorf("/live: %d, want 200", got.status)
	}
	for _, level := range []string{"accept", "spool"} {
		for range 5 {
			if got := send(t, "POST", url+"/collections/answers", `{"n":1}`, "Prefer", "level="+level); got.status != 202 {
				t.Fatalf("level %s while it is down: %d %s, want 202", level, got.status, got.body)
			}
		}
	}
	await(t, "level store is refused", func() bool {
		got := send(t, "POST", url+"/collections/answers", `{"n":2}`, "Prefer", "wait=1")
		return got.status == 503 && got.header.Get("Retry-After") != ""
	})

	db.Start()
	await(t, "/ready says 200", func() bool { return send(t, "GET", url+"/ready", "").status == 200 })
	answers := mongotest.Client(t, db.URI()).Database("d").Collection("answers")
	await(t, "what was accepted is stored", func() bool {
		n, err := answers.CountDocuments(context.Background(), bson.D{{Key: "n", Value: 1}})
		return err == nil && n == 10
	})
	if code := c.terminate(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

// SIGTERM right after the last answer, at level accept and a batch size that is no divisor.
func TestServeDrainsOnSIGTERM(t *testing.T) {
	const n = 3_000
	db := mongotest.Database(t)
	c := serve(t, db, "--reply", "accept", "--batch-size", "7", "--linger", "1h")
	res, err := client.Run(t.Context(), client.Config{URL: c.url() + "/collections/answers", Requests: n, Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status[202] != n {
		t.Fatalf("answers by status %v, errors %v; want %d times 202", res.Status, res.Errors, n)
	}
	if code := c.terminate(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if got := len(documents(t, db, "answers")); got != n {
		t.Errorf("%d documents in the collection, want %d", got, n)
	}
}

// A second signal ends a drain that gets nowhere: what is left goes to the dead letter, which is
// told, and nothing is lost. Where the dead letter cannot take it, the exit code says so.
func TestServeStopsAtTheSecondSignal(t *testing.T) {
	for _, tt := range []struct {
		name, deadLetter string
		code             int
	}{
		{"to the dead letter", "dead.ndjson", 0},
		{"lost", "/dev/full", exitLost},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := mongotest.Process(t, t.TempDir())
			c := serveURI(t, db.URI(), "d", "--reply", "accept", "--dead-letter", tt.deadLetter)
			url := c.url()
			if got := send(t, "POST", url+"/collections/answers", `{}`, "Prefer", "wait=60"); got.status != 201 {
				t.Fatalf("%d %s, want 201", got.status, got.body)
			}
			db.Kill()
			for range 3 {
				if got := send(t, "POST", url+"/collections/answers", `{}`); got.status != 202 {
					t.Fatalf("%d %s, want 202", got.status, got.body)
				}
			}
			http.DefaultClient.CloseIdleConnections()
			for range 2 {
				if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				await(t, "the signal is seen", func() bool {
					_, err := http.Get(url + "/live")
					return err != nil
				})
			}
			if code := c.exit(); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			if tt.code == exitLost {
				if said := c.stderr.String(); !strings.Contains(said, "lost: 3 of them") {
					t.Errorf("it says %q, want the number of lost documents", said)
				}
				return
			}
			text, err := os.ReadFile(c.cmd.Dir + "/" + tt.deadLetter)
			if err != nil || strings.Count(string(text), "\n") != 3 {
				t.Errorf("the dead letter has %q, error %v; want 3 lines", text, err)
			}
		})
	}
}

// await waits for a condition, far longer than it takes.
func await(t *testing.T, what string, met func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !met(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}
