package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
)

// runCommand runs a command to its end, in this process.
func runCommand(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

// filledSpool is what a server that was killed with its database down leaves behind: n documents
// {"n": i} for the collection answers.
func filledSpool(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	c := serveURI(t, "mongodb://127.0.0.1:1/", "d", "--spool", dir)
	url := c.url()
	for i := range n {
		if got := send(t, "POST", url+"/collections/answers", `{"n":`+strings.Repeat("1", i+1)+`}`); got.status != 202 {
			t.Fatalf("%d %s, want 202", got.status, got.body)
		}
	}
	c.cmd.Process.Kill()
	c.exit()
	return dir
}

func TestSpoolLsVerifyReplay(t *testing.T) {
	dir := filledSpool(t, 3)
	code, out, _ := runCommand(t, "spool", "ls", dir)
	if code != 0 || !strings.Contains(out, "answers") || !strings.Contains(out, "\n3 documents to be delivered\n") {
		t.Errorf("ls: exit code %d, %s", code, out)
	}
	if code, out, errs := runCommand(t, "spool", "verify", dir); code != 0 || !strings.Contains(out, ": good\n") {
		t.Errorf("verify: exit code %d, %s %s", code, out, errs)
	}

	db := mongotest.Database(t)
	replay := []string{"spool", "replay", dir, "--mongo-uri", mongotest.URI(t), "--database", db.Name()}
	if code, out, errs := runCommand(t, replay...); code != 0 || out != "answers: 3 stored, 0 rejected, 0 left\n" {
		t.Errorf("replay: exit code %d, %q %s", code, out, errs)
	}
	if got := len(documents(t, db, "answers")); got != 3 {
		t.Errorf("%d documents in the collection, want 3", got)
	}
	if _, out, _ := runCommand(t, "spool", "ls", dir); !strings.Contains(out, "\n0 documents to be delivered\n") {
		t.Errorf("ls after replay: %s", out)
	}
}

func TestSpoolVerifyNamesDamage(t *testing.T) {
	dir := filledSpool(t, 3)
	segments, err := filepath.Glob(dir + "/answers/*.log")
	if err != nil || len(segments) != 1 {
		t.Fatalf("segments %v, error %v; want one", segments, err)
	}
	data, err := os.ReadFile(segments[0])
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte("n\x00")) // a key in the first document
	data[at] ^= 0xff
	write(t, segments[0], string(data))
	code, _, errs := runCommand(t, "spool", "verify", dir)
	if code != exitFailed || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, segments[0]) {
		t.Errorf("verify: exit code %d, %q; want one line with the file", code, errs)
	}
}

// A directory that is mistyped is no spool with nothing in it.
func TestSpoolRefusesADirectoryWithoutSpools(t *testing.T) {
	parent := t.TempDir()
	missing := filepath.Join(parent, "missing")
	for _, dir := range []string{parent, missing} {
		for _, args := range [][]string{{"ls"}, {"verify"}, {"replay", "--mongo-uri", "mongodb://127.0.0.1:1/"}} {
			code, out, errs := runCommand(t, append([]string{"spool", args[0], dir}, args[1:]...)...)
			if code != exitFailed || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, dir) {
				t.Errorf("%s %s: exit code %d, %q, %q; want one line with the directory", args[0], dir, code, out, errs)
			}
		}
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("the directory was made")
	}
}

// What a crash cut short has the same name in ls and verify, and is no failure.
func TestSpoolVerifyNamesWhatWasCutShort(t *testing.T) {
	for name, cut := range map[string]func([]byte) []byte{
		"torn tail": func(data []byte) []byte { return data[:len(data)-1] },
		"empty":     func([]byte) []byte { return nil },
		"good":      func(data []byte) []byte { return data },
	} {
		dir := filledSpool(t, 2)
		segments, err := filepath.Glob(dir + "/answers/*.log")
		if err != nil || len(segments) != 1 {
			t.Fatalf("segments %v, error %v; want one", segments, err)
		}
		data, err := os.ReadFile(segments[0])
		if err != nil {
			t.Fatal(err)
		}
		write(t, segments[0], string(cut(data)))
		code, out, errs := runCommand(t, "spool", "verify", dir)
		if code != 0 || !strings.Contains(out, ": "+name+"\n") || name != "good" && strings.Contains(out, "good") {
			t.Errorf("verify: exit code %d, %q %s; want %q", code, out, errs, name)
		}
		if _, out, _ := runCommand(t, "spool", "ls", dir); name != "good" && !strings.Contains(out, name) {
			t.Errorf("ls: %s; want %q", out, name)
		}
	}
}

func TestSpoolHelpHasTheDefault(t *testing.T) {
	if _, out, _ := runCommand(t, "spool", "ls", "--help"); !strings.Contains(out, "rapidrest-data/spool") {
		t.Errorf("help: %s", out)
	}
}

func TestSpoolReplayRefusesASpoolInUse(t *testing.T) {
	db, dir := mongotest.Database(t), t.TempDir()
	serve(t, db, "--spool", dir).url()
	code, _, errs := runCommand(t, "spool", "replay", dir, "--mongo-uri", mongotest.URI(t))
	if code != exitFailed || !strings.Contains(errs, "in use by another process") {
		t.Errorf("exit code %d, %q", code, errs)
	}
}

// One document is new, one is there already byte for byte, one has the _id of another: stored,
// stored, and put into the rest with the reason. A second replay of the rest finds its place
// free.
func TestDeadletterReplay(t *testing.T) {
	db, ctx := mongotest.Database(t), context.Background()
	answers := db.Collection("answers")
	there, other := bson.D{{Key: "_id", Value: int32(2)}, {Key: "a", Value: "b"}}, bson.D{{Key: "_id", Value: int32(3)}, {Key: "x", Value: "y"}}
	if _, err := answers.InsertMany(ctx, []any{there, other}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dead.ndjson")
	dead, err := batch.OpenDeadLetter(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	var letters []batch.Letter
	for _, doc := range []bson.D{{{Key: "_id", Value: int32(1)}}, there, {{Key: "_id", Value: int32(3)}, {Key: "mine", Value: true}}} {
		raw, err := bson.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		letters = append(letters, batch.Letter{Collection: "answers", Outcome: batch.Outcome{Kind: batch.Failed}, Document: raw})
	}
	if err := dead.Write(letters); err != nil {
		t.Fatal(err)
	}
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}

	replay := func(file string) (code int, out, errs string) {
		return runCommand(t, "deadletter", "replay", file, "--mongo-uri", mongotest.URI(t), "--database", db.Name())
	}
	code, out, errs := replay(path)
	if want := "2 stored, 1 not stored (they are in " + path + ".rest)\n"; code != 0 || out != want {
		t.Errorf("exit code %d, %q %s; want %q", code, out, errs, want)
	}
	if _, err := answers.DeleteOne(ctx, bson.D{{Key: "_id", Value: 3}}); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := replay(path + ".rest"); code != 0 || out != "1 stored, 0 not stored\n" {
		t.Errorf("exit code %d, %q %s", code, out, errs)
	}
	docs := documents(t, db, "answers")
	if len(docs) != 3 || docs[2][1].Key != "mine" {
		t.Errorf("the collection has %v", docs)
	}
}

// An insert that fails costs that document its turn and no other; a database that is gone costs one
// attempt, not one for each document that is left.
func TestDeadletterReplayGoesOn(t *testing.T) {
	for _, tt := range []struct {
		name                    string
		ping                    error
		attempts, stored, again int
	}{
		{"one insert fails", nil, 4, 3, 1},
		{"the database is gone", errors.New("no route"), 2, 1, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "rest.ndjson")
			rest, err := batch.OpenDeadLetter(path, 0)
			if err != nil {
				t.Fatal(err)
			}
			cut, attempts := errors.New("cut in the middle"), 0
			r := &resender{
				resend: func(collection string, doc []byte) (string, error) {
					if attempts++; attempts == 2 {
						return "", cut
					}
					return "", nil
				},
				ping: func() error { return tt.ping },
				rest: rest,
				log:  slog.New(slog.DiscardHandler),
			}
			err = r.all(t.Context(), func(yield func(batch.Letter, error) bool) {
				for i := range int32(4) {
					raw, err := bson.Marshal(bson.D{{Key: "_id", Value: i}})
					if err != nil {
						t.Fatal(err)
					}
					if !yield(batch.Letter{Collection: "answers", Document: raw}, nil) {
						return
					}
				}
			})
			if !errors.Is(err, cut) || attempts != tt.attempts || r.stored != tt.stored || r.again != tt.again {
				t.Errorf("error %v, %d attempts, %d stored, %d not; want %v, %d, %d, %d",
					err, attempts, r.stored, r.again, cut, tt.attempts, tt.stored, tt.again)
			}
			if err := rest.Close(); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil || strings.Count(string(text), "\n") != tt.again || !strings.Contains(string(text), cut.Error()) {
				t.Errorf("the rest is %s, error %v; want %d lines", text, err, tt.again)
			}
		})
	}
}

func TestDeadletterReplaySaysWhichLineIsBad(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "dead.ndjson"), "no letter\n")
	code, _, errs := runCommand(t, "deadletter", "replay", path, "--mongo-uri", mongotest.URI(t))
	if code != exitFailed || !strings.Contains(errs, "line 1") || !strings.Contains(errs, "1 lines of") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}
