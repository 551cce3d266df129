package store_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/store/storetest"
)

// A server that names no index is asked which document it holds.
func TestLesson36_AServerThatNamesNoIndexIsAsked(t *testing.T) {
	unique := bson.A{
		bson.D{{Key: "name", Value: "_id_"}, {Key: "key", Value: bson.D{{Key: "_id", Value: 1}}}, {Key: "v", Value: 2}},
		bson.D{{Key: "name", Value: "email_1"}, {Key: "key", Value: bson.D{{Key: "email", Value: 1}}}, {Key: "unique", Value: true}, {Key: "v", Value: 2}},
	}
	for way, open := range ways {
		var indexes bson.A
		held := doc(t, "_id", "held", "by", "us")
		server, err := storetest.Listen("127.0.0.1:0", storetest.Config{Handle: func(c *storetest.Command) storetest.Reply {
			found := bson.A{}
			switch c.Name {
			case "insert":
				return reply(t, "ok", 1.0, "writeErrors", bson.A{
					bson.D{{Key: "index", Value: 0}, {Key: "code", Value: 11000}, {Key: "errmsg", Value: "E11000 duplicate key error collection: db.c"}},
					bson.D{{Key: "index", Value: 2}, {Key: "code", Value: 11000}, {Key: "errmsg", Value: "E11000 duplicate key error collection: db.c"}},
				})
			case "listIndexes":
				found = indexes
			case "find":
				if c.Body.Lookup("filter", "_id").StringValue() == "held" {
					found = bson.A{bson.Raw(held)}
				}
			}
			return reply(t, "ok", 1.0, "cursor", bson.D{{Key: "id", Value: int64(0)}, {Key: "ns", Value: "db.c"}, {Key: "firstBatch", Value: found}})
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { server.Close() })
		c := open(t, server.URI()).Collection("c")
		for _, row := range []struct {
			name    string
			indexes bson.A
			want    []bool // duplicates of _id
		}{
			{"_id alone is unique", unique[:1], []bool{true, false, true}},
			{"email too", unique, []bool{true, false, false}},
		} {
			indexes = row.indexes
			outcomes, err := c.Insert(t.Context(), [][]byte{doc(t, "_id", "held"), doc(t, "_id", "new"), doc(t, "_id", "other", "email", "taken")})
			if err != nil {
				t.Fatal(err)
			}
			for i, o := range outcomes {
				if o.DuplicateID != row.want[i] || o.Duplicate != (i != 1) || (o.Kind == batch.Stored) != (i == 1) {
					t.Errorf("%s, %s, document %d: %+v", way, row.name, i, o)
				}
			}
		}
	}
}
