package store_test

import (
	"fmt"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/store/storetest"
)

// keeper is a server that holds documents and answers finds by _id, one or $in.
type keeper struct {
	held      []bson.Raw
	buildInfo []any
	failsAt   int // the find that fails; 0: none
	finds     int
}

func (k *keeper) handle(t *testing.T) func(c *storetest.Command) storetest.Reply {
	return func(c *storetest.Command) storetest.Reply {
		switch c.Name {
		case "buildInfo":
			return reply(t, append([]any{"ok", 1.0}, k.buildInfo...)...)
		case "find":
		default:
			return storetest.OK
		}
		if k.finds++; k.finds == k.failsAt {
			return reply(t, "ok", 0.0, "code", int32(13), "errmsg", "not yours to read")
		}
		filter := c.Body.Lookup("filter", "_id")
		ids := []bson.RawValue{filter}
		if list, ok := filter.DocumentOK(); ok {
			ids, _ = list.Lookup("$in").Array().Values()
		}
		found := bson.A{}
		for _, doc := range k.held {
			if slices.ContainsFunc(ids, doc.Lookup("_id").Equal) {
				found = append(found, doc)
			}
		}
		return reply(t, "ok", 1.0, "cursor", bson.D{{Key: "id", Value: int64(0)}, {Key: "ns", Value: "db.c"}, {Key: "firstBatch", Value: found}})
	}
}

func TestHoldsComparesEveryByte(t *testing.T) {
	ferret := []any{"ferretdbVersion", "v1.24.2"}
	for _, server := range []struct {
		name      string
		buildInfo []any
		others    int // documents asked for beside the five
		finds     int
	}{
		{"MongoDB is asked once", nil, 0, 1},
		{"FerretDB is asked for each", ferret, 0, 5},
		{"FerretDB is asked once for many", ferret, 30, 1},
	} {
		for way, open := range ways {
			k := &keeper{buildInfo: server.buildInfo, held: []bson.Raw{doc(t, "_id", "a", "by", "us"), doc(t, "_id", "b", "by", "us"), doc(t, "_id", int32(1))}}
			s, err := storetest.Listen("127.0.0.1:0", storetest.Config{Handle: k.handle(t)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			docs := [][]byte{doc(t, "_id", "absent"), doc(t, "_id", "b", "by", "us"), doc(t, "_id", "a", "by", "them"), doc(t, "_id", int64(1)), doc(t, "_id", "a", "by", "us")}
			want := []bool{false, true, false, false, true}
			for i := range server.others {
				docs, want = append(docs, doc(t, "_id", fmt.Sprint("other", i))), append(want, false)
			}
			got, err := open(t, s.URI()).Collection("c").Holds(t.Context(), docs)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, %s: %v, %v; want %v", server.name, way, got, err, want)
			}
			if k.finds != server.finds {
				t.Errorf("%s, %s: %d finds, want %d", server.name, way, k.finds, server.finds)
			}
		}
	}
}

func TestHoldsReturnsTheAnswersThereAre(t *testing.T) {
	k := &keeper{buildInfo: []any{"ferretdbVersion", "v1.24.2"}, held: []bson.Raw{doc(t, "_id", "a")}, failsAt: 3}
	s, err := storetest.Listen("127.0.0.1:0", storetest.Config{Handle: k.handle(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	docs := [][]byte{doc(t, "_id", "a"), doc(t, "_id", "b"), doc(t, "_id", "a"), doc(t, "_id", "a")}
	got, err := open(t, s.URI()).Collection("c").Holds(t.Context(), docs)
	if err == nil || !slices.Equal(got, []bool{true, false}) {
		t.Errorf("%v, %v; want two answers and an error", got, err)
	}
}
