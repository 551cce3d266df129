// Package store is MongoDB behind a write buffer: the cheapest insert that the
// driver allows, and a server's errors sorted into what a buffer can act on.
//
// A whole program:
//
//	package main
//
//	import (
//		"context"
//		"log"
//
//		"go.mongodb.org/mongo-driver/v2/bson"
//
//		"github.com/rapidrest/rapidrest/batch"
//		"github.com/rapidrest/rapidrest/store"
//	)
//
//	func main() {
//		ctx := context.Background()
//		s, err := store.Open(ctx, store.Config{URI: "mongodb://127.0.0.1:27017/", Database: "survey"})
//		if err != nil {
//			log.Fatal(err)
//		}
//		defer s.Close(ctx)
//		buf, err := batch.Open(s.Collection("answers"), batch.Config{Name: "answers"})
//		if err != nil {
//			log.Fatal(err)
//		}
//		doc, err := bson.Marshal(bson.D{{Key: "_id", Value: bson.NewObjectID()}, {Key: "yes", Value: true}})
//		if err != nil {
//			log.Fatal(err)
//		}
//		ticket, err := buf.Add(doc)
//		if err != nil {
//			log.Fatal(err)
//		}
//		outcome, err := ticket.Wait(ctx)
//		log.Println(outcome.Kind, err) // stored <nil>
//		if err := buf.Close(ctx); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// What [Collection.Insert] makes of what happens:
//
//	the server took the document              Stored
//	it refused the document                   Rejected, with its code and words
//	the _id exists                            Rejected, DuplicateID
//	another unique index has the key          Rejected, Duplicate
//	the document is over 16 MiB               Rejected, and not sent
//	the document may be tried again           Failed, Retry
//	no server, no connection, not built       Fault, Unsent
//	cut, timed out, interrupted, stepped down Fault, Ambiguous: may be stored
//	written, but the write concern failed     Fault, Ambiguous
//	the command as a whole is refused         Fault, Refused
//
// One Insert is one unordered insert command in one wire message; the documents go
// out as they are. Where the server supports retryable writes and the URI has them
// on, as is the default, the driver may send that message a second time under the
// same transaction number, and the server executes it once. Everything else about
// trying again is the buffer's business.
//
// The store keeps no state but its connections, so that any number of processes
// may write to the same database.
package store
