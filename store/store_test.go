package store_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/store"
	"github.com/rapidrest/rapidrest/store/storetest"
)

// closedPort returns an address that nobody listens on.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestOpenRefuses(t *testing.T) {
	down := closedPort(t)
	for name, test := range map[string]struct {
		uri, database string
		want          string
	}{
		"no URI":          {"", "db", "store: connection string"},
		"another scheme":  {"http://127.0.0.1/", "db", "store: connection string"},
		"no database":     {"mongodb://" + down, "", "store: no database named"},
		"unacknowledged":  {"mongodb://" + down + "/?w=0", "db", "store: w=0"},
		"nobody there":    {"mongodb://somebody:secret@" + down + "/?serverSelectionTimeoutMS=100", "db", "store: no server answers at " + down + ": "},
		"unknown options": {"mongodb://" + down + "/?w=a&authMechanism=none", "db", "store: connection string"},
	} {
		_, err := store.Open(t.Context(), store.Config{URI: test.uri, Database: test.database})
		switch {
		case err == nil || !strings.HasPrefix(err.Error(), test.want):
			t.Errorf("%s: got %v, want %s…", name, err, test.want)
		case strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: more than one line: %v", name, err)
		case strings.Contains(err.Error(), "secret"):
			t.Errorf("%s: the password is in %v", name, err)
		}
	}
}

// An unacknowledged write tells of no error, not even of a duplicate. Nothing is
// built on it.
func TestLesson37_UnacknowledgedWritesAreRefused(t *testing.T) {
	server := listen(t, "", nil)
	for _, option := range []string{"?w=0", "?w=0&journal=false"} {
		if _, err := store.Open(t.Context(), store.Config{URI: server.URI() + option, Database: "db"}); err == nil || !strings.Contains(err.Error(), "w=0") {
			t.Errorf("Open with %s: %v", option, err)
		}
	}
	db := use(t, server.URI()).Database()
	if _, err := store.Use(t.Context(), db, writeconcern.Unacknowledged()); err == nil || !strings.Contains(err.Error(), "w=0") {
		t.Errorf("Use: %v", err)
	}
}

func TestTheFirstInsertMakesUpForAnOfflineStart(t *testing.T) {
	addr := closedPort(t)
	s, err := store.Open(t.Context(), store.Config{URI: "mongodb://" + addr + "/?serverSelectionTimeoutMS=100", Database: "db", Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	server, err := storetest.Listen(addr, storetest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for err = io.EOF; err != nil; {
		_, err = s.Collection("c").Insert(t.Context(), [][]byte{doc(t, "_id", 1)})
	}
	if got := s.Limits(); got != (document.Limits{}) {
		t.Errorf("Limits after an insert: %+v, want none", got)
	}
}

func TestOpenGivesUpOnAServerThatSaysNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // it accepts, by its backlog, and never answers
	uri := "mongodb://" + l.Addr().String() + "/?serverSelectionTimeoutMS=200&connectTimeoutMS=100"
	if _, err := store.Open(t.Context(), store.Config{URI: uri, Database: "db"}); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v; want an error of one line", err)
	}
}

func TestOfflineOpensAndLearnsLater(t *testing.T) {
	addr := closedPort(t)
	s, err := store.Open(t.Context(), store.Config{URI: "mongodb://" + addr + "/?serverSelectionTimeoutMS=100", Database: "db", Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	if err := s.Ping(t.Context()); err == nil {
		t.Error("Ping: nil, though nobody listens")
	}
	if got := s.Limits(); got != document.FerretDB() {
		t.Errorf("Limits of an unknown server: %+v, want the strictest", got)
	}
	server, err := storetest.Listen(addr, storetest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for err := s.Ping(t.Context()); err != nil; err = s.Ping(t.Context()) {
	}
	if got := s.Limits(); got != (document.Limits{}) {
		t.Errorf("Limits of a server that is no FerretDB: %+v, want none", got)
	}
}

func TestLimitsComeFromBuildInfo(t *testing.T) {
	for name, test := range map[string]struct {
		info []byte
		want document.Limits
	}{
		"MongoDB":        {doc(t, "version", "7.0.1", "ok", 1.0), document.Limits{}},
		"FerretDB 1":     {doc(t, "version", "7.0.42", "ferretdbVersion", "v1.24.2", "ok", 1.0), document.FerretDB()},
		"FerretDB 2":     {doc(t, "version", "7.0.77", "ferretdb", bson.D{{Key: "version", Value: "v2.1.0"}}, "ok", 1.0), document.Limits{}},
		"refuses to say": {doc(t, "ok", 0.0, "code", int32(13), "errmsg", "not authorized"), document.Limits{}},
	} {
		server, err := storetest.Listen("127.0.0.1:0", storetest.Config{Handle: func(c *storetest.Command) storetest.Reply {
			if c.Name == "buildInfo" {
				return storetest.Reply{Doc: test.info}
			}
			return storetest.OK
		}})
		if err != nil {
			t.Fatal(err)
		}
		for way, open := range ways {
			if got := open(t, server.URI()).Limits(); got != test.want {
				t.Errorf("%s, %s: %+v, want %+v", name, way, got, test.want)
			}
		}
		server.Close()
	}
}

func TestUseLeavesTheClientConnected(t *testing.T) {
	server := listen(t, "", nil)
	s := use(t, server.URI())
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("the caller's client after Close: %v", err)
	}
}

func TestAfterCloseNothingIsSent(t *testing.T) {
	server := listen(t, "", nil)
	s := open(t, server.URI())
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_, err := s.Collection("c").Insert(ctx, [][]byte{doc(t, "_id", 1)})
	var fault *batch.Fault
	if !errors.As(err, &fault) || fault.Kind != batch.Unsent {
		t.Errorf("got %v, want a Fault of kind Unsent", err)
	}
}
