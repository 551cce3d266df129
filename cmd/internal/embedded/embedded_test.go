package embedded_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rapidrest/rapidrest/cmd/internal/embedded"
)

func start(t *testing.T, dir string) *embedded.DB {
	t.Helper()
	db, err := embedded.Start(t.Context(), embedded.Config{Listen: "127.0.0.1:0", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func connect(t *testing.T, uri string) *mongo.Client {
	t.Helper()
	c, err := mongo.Connect(options.Client().ApplyURI(uri).SetServerSelectionTimeout(10 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDocumentsAreThereAfterARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "by start")
	db := start(t, dir)
	c := connect(t, db.URI())
	if _, err := c.Database("d").Collection("c").InsertOne(t.Context(), bson.D{{Key: "_id", Value: "a"}, {Key: "n", Value: int32(7)}}); err != nil {
		t.Fatal(err)
	}
	c.Disconnect(t.Context())
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatalf("second Close: %v", err)
	}

	db = start(t, dir)
	c = connect(t, db.URI())
	defer c.Disconnect(context.Background())
	var got bson.D
	if err := c.Database("d").Collection("c").FindOne(t.Context(), bson.D{}).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if want := "[{_id a} {n 7}]"; fmt.Sprint([]bson.E(got)) != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Killed in the moment in which it makes a database, the process leaves a file without a table.
func TestADatabaseThatWasNeverMadeIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "d.sqlite"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := connect(t, start(t, dir).URI())
	defer c.Disconnect(context.Background())
	if _, err := c.Database("d").Collection("c").InsertOne(t.Context(), bson.D{{Key: "_id", Value: "a"}}); err != nil {
		t.Fatal(err)
	}
}

func TestAnAddressInUseIsOneLine(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dir := t.TempDir()
	_, err = embedded.Start(t.Context(), embedded.Config{Listen: l.Addr().String(), Dir: dir})
	want := fmt.Sprintf("embedded: listen %q: address already in use", l.Addr())
	if err == nil || err.Error() != want || !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("got %v, want %v", err, want)
	}
	start(t, dir) // the failed start has let go of the directory
}

func TestADirectoryInUseIsRefused(t *testing.T) {
	dir := t.TempDir()
	db := start(t, dir)
	_, err := embedded.Start(t.Context(), embedded.Config{Listen: "127.0.0.1:0", Dir: dir})
	if !errors.Is(err, embedded.ErrLocked) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want ErrLocked in one line", err)
	}
	db.Close()
	start(t, dir)
}

func TestADirectoryThatCannotBeIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", file, filepath.Join(file, "below"), "what?", "100%", "a#b"} {
		if _, err := embedded.Start(t.Context(), embedded.Config{Listen: "127.0.0.1:0", Dir: dir}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("Dir %q: got %v, want an error in one line", dir, err)
		}
	}
}

func TestTheContextStopsIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	db, err := embedded.Start(ctx, embedded.Config{Listen: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := db.Wait(); err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", db.Addr()); err == nil {
		c.Close()
		t.Error("still listening after Wait")
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "embedded")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	db, err := embedded.Start(context.Background(), embedded.Config{Listen: "127.0.0.1:0", Dir: dir})
	if err != nil {
		panic(err)
	}
	fmt.Println(strings.HasPrefix(db.URI(), "mongodb://127.0.0.1:"))
	fmt.Println(db.Close())
	// Output:
	// true
	// <nil>
}
