package store_test

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/store"
	"github.com/rapidrest/rapidrest/store/storetest"
)

// A collection stands behind a buffer.
func Example() {
	ctx := context.Background()
	server, err := storetest.Listen("127.0.0.1:0", storetest.Config{}) // instead of a MongoDB
	if err != nil {
		panic(err)
	}
	defer server.Close()

	s, err := store.Open(ctx, store.Config{URI: server.URI(), Database: "survey"})
	if err != nil {
		panic(err)
	}
	defer s.Close(ctx)
	buf, err := batch.Open(s.Collection("answers"), batch.Config{Name: "answers"})
	if err != nil {
		panic(err)
	}
	doc, err := bson.Marshal(bson.D{{Key: "_id", Value: bson.NewObjectID()}, {Key: "yes", Value: true}})
	if err != nil {
		panic(err)
	}
	ticket, err := buf.Add(doc)
	if err != nil {
		panic(err)
	}
	outcome, err := ticket.Wait(ctx)
	fmt.Println(outcome.Kind, err)
	fmt.Println(buf.Close(ctx))
	// Output:
	// stored <nil>
	// <nil>
}

// One attempt, without a buffer: a server's word on each document by itself.
func ExampleCollection_Insert() {
	ctx := context.Background()
	server, err := storetest.Listen("127.0.0.1:0", storetest.Config{Handle: func(c *storetest.Command) storetest.Reply {
		if c.Name != "insert" {
			return storetest.OK
		}
		reply, _ := bson.Marshal(bson.D{{Key: "ok", Value: 1}, {Key: "writeErrors", Value: bson.A{bson.D{
			{Key: "index", Value: 1}, {Key: "code", Value: 121}, {Key: "errmsg", Value: "Document failed validation"},
		}}}})
		return storetest.Reply{Doc: reply}
	}})
	if err != nil {
		panic(err)
	}
	defer server.Close()
	s, err := store.Open(ctx, store.Config{URI: server.URI(), Database: "survey"})
	if err != nil {
		panic(err)
	}
	defer s.Close(ctx)

	var docs [][]byte
	for i := range 3 {
		doc, err := bson.Marshal(bson.D{{Key: "_id", Value: i}})
		if err != nil {
			panic(err)
		}
		docs = append(docs, doc)
	}
	outcomes, err := s.Collection("answers").Insert(ctx, docs)
	if err != nil {
		panic(err) // a *batch.Fault
	}
	for i, o := range outcomes {
		fmt.Printf("%d %v %q\n", i, o.Kind, o.Reason)
	}
	// Output:
	// 0 stored ""
	// 1 rejected "Document failed validation"
	// 2 stored ""
}
