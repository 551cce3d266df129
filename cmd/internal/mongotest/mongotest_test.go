package mongotest_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
)

func TestDatabasesAreFreshAndDropped(t *testing.T) {
	uri := mongotest.URI(t) // keeps the server up beyond the subtest
	var name string
	t.Run("inner", func(t *testing.T) {
		db := mongotest.Database(t)
		name = db.Name()
		if _, err := db.Collection("c").InsertOne(t.Context(), bson.D{{Key: "a", Value: 1}}); err != nil {
			t.Fatal(err)
		}
	})
	if again := mongotest.URI(t); again != uri {
		t.Errorf("URI %q, then %q: the server was not shared", uri, again)
	}
	names, err := mongotest.Client(t, uri).ListDatabaseNames(t.Context(), bson.D{{Key: "name", Value: name}})
	if err != nil || len(names) != 0 {
		t.Errorf("databases %q named %q are left, error %v", names, name, err)
	}
}

func TestTheServerAndItsFilesGoWithTheLastTest(t *testing.T) {
	if os.Getenv("RAPIDREST_TEST_MONGO_URI") != "" {
		return // there is a server of the user's, which we leave alone
	}
	t.Setenv("TMPDIR", t.TempDir())
	t.Run("inner", func(t *testing.T) { mongotest.Database(t) })
	if left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestAKilledProcessComesBackWithItsDocuments(t *testing.T) {
	p := mongotest.Process(t, t.TempDir())
	uri := p.URI()
	c := mongotest.Client(t, uri).Database("d").Collection("c")
	if _, err := c.InsertOne(t.Context(), bson.D{{Key: "_id", Value: "kept"}}); err != nil {
		t.Fatal(err)
	}
	p.Kill()
	p.Kill()
	p.Start()
	if p.URI() != uri {
		t.Errorf("URI %q after the restart, %q before", p.URI(), uri)
	}
	n, err := mongotest.Client(t, uri).Database("d").Collection("c").CountDocuments(t.Context(), bson.D{})
	if err != nil || n != 1 {
		t.Errorf("%d documents, %v; want 1", n, err)
	}
}
