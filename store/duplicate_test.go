package store_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/store/storetest"
)

// A server that names no index is asked which document it holds.
func TestLesson36_AServerThatNamesNoIndexIsAsked(t *testing.T) {
	for way, open := range ways {
		held := doc(t, "_id", "held", "by", "us")
		server, err := storetest.Listen("127.0.0.1:0", storetest.Config{Handle: func(c *storetest.Command) storetest.Reply {
			found := bson.A{}
			switch c.Name {
			case "insert":
				return reply(t, "ok", 1.0, "writeErrors", bson.A{
					bson.D{{Key: "index", Value: 0}, {Key: "code", Value: 11000}, {Key: "errmsg", Value: "E11000 duplicate key error collection: db.c"}},
					bson.D{{Key: "index", Value: 2}, {Key: "code", Value: 11000}, {Key: "errmsg", Value: "E11000 duplicate key error collection: db.c"}},
				})
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
		outcomes, err := c.Insert(t.Context(), [][]byte{doc(t, "_id", "held"), doc(t, "_id", "new"), doc(t, "_id", "other", "email", "taken")})
		if err != nil {
			t.Fatal(err)
		}
		if !outcomes[0].DuplicateID || outcomes[1].Kind != batch.Stored || outcomes[2].DuplicateID || !outcomes[2].Duplicate {
			t.Errorf("%s: %+v; want a duplicate of _id, stored, a duplicate of another index", way, outcomes)
		}

		for _, row := range []struct {
			doc  []byte
			want bool
		}{
			{held, true},
			{doc(t, "_id", "held", "by", "them"), false},
			{doc(t, "_id", "absent"), false},
		} {
			if got, err := c.Holds(t.Context(), row.doc); err != nil || got != row.want {
				t.Errorf("%s: Holds(%v): %v, %v; want %v", way, bson.Raw(row.doc), got, err, row.want)
			}
		}
	}
}
