package store_test

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"github.com/rapidrest/rapidrest/store"
	"github.com/rapidrest/rapidrest/store/storetest"
)

// listen starts a server that answers inserts as insert says and OK to the rest.
func listen(t *testing.T, replicaSet string, insert func(*storetest.Command) storetest.Reply) *storetest.Server {
	t.Helper()
	s, err := storetest.Listen("127.0.0.1:0", storetest.Config{
		ReplicaSet: replicaSet,
		Handle: func(c *storetest.Command) storetest.Reply {
			if c.Name == "insert" {
				return insert(c)
			}
			return storetest.OK
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func open(t *testing.T, uri string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{URI: uri, Database: "db"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

// use makes a store on a client of the caller's.
func use(t *testing.T, uri string) *store.Store {
	t.Helper()
	c, err := mongo.Connect(options.Client().ApplyURI(uri).SetServerSelectionTimeout(5 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Disconnect(context.Background()) })
	s, err := store.Use(t.Context(), c.Database("db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ways are the two ways a store comes to its connections, and so of inserting.
var ways = map[string]func(*testing.T, string) *store.Store{"Open": open, "Use": use}

func doc(t testing.TB, elems ...any) []byte {
	t.Helper()
	d := bson.D{}
	for i := 0; i+1 < len(elems); i += 2 {
		d = append(d, bson.E{Key: elems[i].(string), Value: elems[i+1]})
	}
	raw, err := bson.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// reply makes the reply of a server.
func reply(t testing.TB, elems ...any) storetest.Reply {
	t.Helper()
	return storetest.Reply{Doc: doc(t, elems...)}
}

// fat makes a document {_id: id, fat: <binary>} of exactly size bytes.
func fat(id string, size int) []byte {
	d := bsoncore.AppendStringElement(make([]byte, 4, size), "_id", id)
	d = bsoncore.AppendHeader(d, bsoncore.TypeBinary, "fat")
	n := size - len(d) - 6 // the binary's length and subtype, the document's end
	d = binary.LittleEndian.AppendUint32(d, uint32(n))
	d = append(d, 0)
	d = append(d[:len(d)+n], 0)
	binary.LittleEndian.PutUint32(d, uint32(len(d)))
	return d
}
