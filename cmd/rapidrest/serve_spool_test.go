package main

import (
	"context"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
)

// The database is down from the start, the server takes documents, and is killed without notice.
// The next one, with the database back, delivers all of them.
func TestServeSpoolSurvivesKill9(t *testing.T) {
	db := mongotest.Process(t, t.TempDir())
	db.Kill()
	spool := t.TempDir()
	first := serveURI(t, db.URI(), "d", "--spool", spool)
	url := first.url()
	if got := send(t, "GET", url+"/ready", ""); got.status != 503 {
		t.Errorf("/ready: %d, want 503", got.status)
	}
	const n = 50
	for range n {
		if got := send(t, "POST", url+"/collections/answers", `{"q":1}`); got.status != 202 {
			t.Fatalf("%d %s, want 202", got.status, got.body)
		}
	}
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.exit()

	db.Start()
	second := serveURI(t, db.URI(), "d", "--spool", spool)
	second.url()
	answers := mongotest.Client(t, db.URI()).Database("d").Collection("answers")
	await(t, "the spool is delivered", func() bool {
		got, err := answers.CountDocuments(context.Background(), bson.D{})
		return err == nil && got == n
	})
	if code := second.terminate(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

// SIGTERM with the database down: what is in the spool stays there, it says how many documents
// that are, and none is lost.
func TestServeLeavesTheSpoolToTheNextStart(t *testing.T) {
	db := mongotest.Process(t, t.TempDir())
	db.Kill()
	c := serveURI(t, db.URI(), "d", "--drain-timeout", "100ms")
	url := c.url()
	for range 3 {
		if got := send(t, "POST", url+"/collections/answers", `{}`); got.status != 202 {
			t.Fatalf("%d %s, want 202", got.status, got.body)
		}
	}
	if code := c.terminate(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if said := c.stderr.String(); !strings.Contains(said, "in the spool") || !strings.Contains(said, "documents=3") {
		t.Errorf("it says %q, want how many documents are in the spool", said)
	}
}

// Two servers over one spool would take each other's documents away.
func TestServeRefusesASpoolInUse(t *testing.T) {
	db, spool := mongotest.Database(t), t.TempDir()
	serve(t, db, "--spool", spool).url()
	second := serve(t, db, "--spool", spool)
	if code := second.exit(); code != exitFailed {
		t.Errorf("exit code %d, want %d", code, exitFailed)
	}
	if said := second.stderr.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "in use by another process") {
		t.Errorf("it says %q, want one line", said)
	}
}
