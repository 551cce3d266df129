// Package batch is a write buffer in front of a store that takes documents in batches. Documents
// are added one by one, from any number of goroutines; the buffer sends them in batches, tries
// again what fails, and says of every document what became of it.
//
// A whole program, with a store that prints what it is sent:
//
//	package main
//
//	import (
//		"context"
//		"fmt"
//
//		"github.com/rapidrest/rapidrest/batch"
//		"go.mongodb.org/mongo-driver/v2/bson"
//	)
//
//	type printer struct{}
//
//	func (printer) Insert(_ context.Context, docs [][]byte) ([]batch.Outcome, error) {
//		outcomes := make([]batch.Outcome, len(docs))
//		for i, doc := range docs {
//			fmt.Println(bson.Raw(doc))
//			outcomes[i].Kind = batch.Stored
//		}
//		return outcomes, nil
//	}
//
//	func main() {
//		buf, err := batch.Open(printer{}, batch.Config{Name: "answers", Size: 100})
//		if err != nil {
//			panic(err)
//		}
//		doc, _ := bson.Marshal(bson.D{{Key: "_id", Value: bson.NewObjectID()}, {Key: "n", Value: 1}})
//		ticket, err := buf.Add(doc) // err == nil: kept
//		if err != nil {
//			panic(err)
//		}
//		outcome, err := ticket.Wait(context.Background()) // only who asks for it waits
//		fmt.Println(outcome.Kind, err)
//		fmt.Println(buf.Close(context.Background()))
//	}
//
// # Levels
//
// When Add returns without an error, the document is kept. What that is worth is the level, set for
// the buffer and chosen for each document:
//
//	level   Add returns when the document is   lost when                      a bad outcome goes to
//	Accept  in memory                          the process dies               a goroutine in Wait, else the dead letter
//	Spool   in the log on disk                 the disk dies; with FsyncNever a goroutine in Wait, else the dead letter
//	                                           or an interval: power is lost
//	Store   in memory, to be waited for        the process dies (Wait has     Wait; the dead letter once Wait gave up
//	                                           not returned yet)
//
// # Behaviour
//
//	a batch is sent when          it holds Size documents or Bytes bytes; or Linger is over; or, however
//	                              small, when somebody waits for it and a flusher is idle
//	all flushers are busy         what arrives joins the open batch: batches grow with the load, up to Size
//	the buffer is full            Add returns ErrFull, after FullWait; it never drops and never grows
//	the store can't be reached    attempts go on, one at a time, with growing pauses; from DownAfter
//	                              attempts on level Store gets ErrDown, the other levels fill the buffer
//	no answer came                the batch goes out again. A duplicate of an _id that we generated is
//	                              then our own earlier write: stored
//	a document is refused         it is rejected; its neighbours are stored
//	the server hangs up at a      the batch is split in halves until the document stands alone, and is
//	document                      rejected when the server demonstrably answers others
//	a sink wants another attempt  only the documents it wants it for go out again
//	Flush                         returns when all that was added before has its outcome
//	Close                         lets nobody in, sends what is pending, and says what it could not send
//
// Every document that Add let in has exactly one outcome: stored, rejected or failed. The exception is a
// spooled one whose buffer is closed first: it stays in the spool, and goes out at the next start.
// So Stats always adds up: Accepted is the sum of Stored, Rejected, Failed, Left and Pending.
//
// Documents of one goroutine keep their order within a batch. Between batches there is none: they
// overtake each other.
package batch
