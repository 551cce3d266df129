package mongotest

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rapidrest/rapidrest/cmd/internal/embedded"
)

// stopTimeout bounds what happens after a test: dropping its database and
// closing its connections.
const stopTimeout = 10 * time.Second

// shared is the server of the tests that run at the moment.
var shared struct {
	sync.Mutex
	users int
	uri   string
	stop  func()
}

// URI returns the connection string of the test database, starting it if no
// other test has. It stays up until t ends.
func URI(t testing.TB) string {
	t.Helper()
	if uri := os.Getenv("RAPIDREST_TEST_MONGO_URI"); uri != "" {
		return uri
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.users == 0 {
		shared.uri, shared.stop = start(t)
	}
	shared.users++
	t.Cleanup(func() {
		shared.Lock()
		defer shared.Unlock()
		if shared.users--; shared.users == 0 {
			shared.stop()
		}
	})
	return shared.uri
}

// start runs the embedded database in a directory of its own. The directory is
// not t.TempDir(): t may end before the other tests that share the server do.
func start(t testing.TB) (uri string, stop func()) {
	t.Helper()
	dir, err := os.MkdirTemp("", "mongotest")
	if err != nil {
		t.Fatal(err)
	}
	if raceEnabled {
		p, err := launch(Binary(t), dir, "127.0.0.1:0")
		if err != nil {
			os.RemoveAll(dir)
			t.Fatal(err)
		}
		return p.Line(), func() {
			p.Kill()
			os.RemoveAll(dir)
		}
	}
	db, err := embedded.Start(context.Background(), embedded.Config{Listen: "127.0.0.1:0", Dir: dir})
	if err != nil {
		os.RemoveAll(dir)
		t.Fatal(err)
	}
	return db.URI(), func() {
		db.Close()
		os.RemoveAll(dir)
	}
}

// Client connects to the database at uri and disconnects when t ends.
func Client(t testing.TB, uri string) *mongo.Client {
	t.Helper()
	c, err := mongo.Connect(options.Client().ApplyURI(uri).SetServerSelectionTimeout(stopTimeout))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		c.Disconnect(ctx)
	})
	return c
}

// Database returns an empty database under a name that no other test has. It is
// dropped when t ends.
func Database(t testing.TB) *mongo.Database {
	t.Helper()
	db := Client(t, URI(t)).Database("test_" + bson.NewObjectID().Hex())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
		defer cancel()
		if err := db.Drop(ctx); err != nil {
			t.Errorf("mongotest: drop %q: %v", db.Name(), err)
		}
	})
	return db
}
