package store

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/rapidrest/rapidrest/batch"
)

// codeTooLarge is what a server answers to a document over 16 MiB
// (BSONObjectTooLarge). We answer it ourselves: see [Collection.Insert].
const codeTooLarge = 10334

// Collection is the end of the line for a buffer's documents: a [batch.Sink] that
// is also a [batch.Holder] and a [batch.Pinger].
type Collection struct {
	s    *Store
	coll *mongo.Collection
	ns   string // database.collection, as servers write it into their errors
	head []byte // of the command: insert, ordered
}

var (
	_ batch.Holder = (*Collection)(nil)
	_ batch.Pinger = (*Collection)(nil)
)

// Collection returns the collection of that name. Nothing is sent; MongoDB makes a
// collection with its first document.
func (s *Store) Collection(name string) *Collection {
	return &Collection{
		s:    s,
		coll: s.db.Collection(name),
		ns:   s.db.Name() + "." + name,
		head: insertHead(name),
	}
}

// Insert makes one attempt to store the documents, as they are, in one wire
// message, and says what became of each. It never splits a batch: a batch that no
// message can hold (over batch.MaxBytes or batch.MaxSize, or what the server
// announces where that is less) is a Fault of kind Refused that wraps
// [ErrTooLarge].
//
// A document over 16 MiB is rejected here and not sent: the driver does not check
// it, and a server that meets one in a batch gives up the whole message.
//
// Where ctx has a deadline, the attempt ends at that time, with a Fault of kind
// Ambiguous if the message was out. The driver never sees the deadline: given one,
// it would retry the message until it has passed.
func (c *Collection) Insert(ctx context.Context, docs [][]byte) ([]batch.Outcome, error) {
	if len(docs) == 0 {
		return nil, nil
	}
	outcomes := make([]batch.Outcome, len(docs))
	send, index := fitting(docs, outcomes)
	if len(send) == 0 {
		return outcomes, nil
	}
	attempt := withoutDeadline(ctx)
	f := c.s.sender.send(attempt, c, send)
	if f.err == nil {
		for _, i := range index {
			outcomes[i] = batch.Outcome{Kind: batch.Stored}
		}
		if index == nil {
			fill(outcomes)
		}
		c.s.acquaint(ctx)
		return outcomes, nil
	}
	if ctx.Err() != nil && errors.Is(f.err, context.Canceled) {
		f.err = fmt.Errorf("no answer within the attempt's time (%w): %w", ctx.Err(), f.err)
	}
	if fault := classify(f); fault != nil {
		return nil, fault
	}
	if err := c.outcomes(ctx, outcomes, send, index, f.writeErrors); err != nil {
		return nil, err
	}
	return outcomes, nil
}

// fitting sorts out documents that are too large. In the usual case there are none
// and it returns docs itself and a nil index; else the rest, and where each of the
// rest stood.
func fitting(docs [][]byte, outcomes []batch.Outcome) (send [][]byte, index []int) {
	small := 0
	for _, d := range docs {
		if len(d) <= batch.MaxDocument {
			small++
		}
	}
	if small == len(docs) {
		return docs, nil
	}
	send, index = make([][]byte, 0, small), make([]int, 0, small)
	for i, d := range docs {
		if len(d) <= batch.MaxDocument {
			send, index = append(send, d), append(index, i)
			continue
		}
		outcomes[i] = batch.Outcome{
			Kind:   batch.Rejected,
			Code:   codeTooLarge,
			Reason: fmt.Sprintf("document of %d bytes, the limit is %d", len(d), batch.MaxDocument),
		}
	}
	return send, index
}

func fill(outcomes []batch.Outcome) {
	for i := range outcomes {
		outcomes[i].Kind = batch.Stored
	}
}

// outcomes writes what the server said of single documents into place: whoever it
// did not name is stored.
func (c *Collection) outcomes(ctx context.Context, all []batch.Outcome, sent [][]byte, index []int, errs []writeError) error {
	place := func(i int) *batch.Outcome {
		if index != nil {
			i = index[i]
		}
		return &all[i]
	}
	for i := range sent {
		*place(i) = batch.Outcome{Kind: batch.Stored}
	}
	var unknown []int
	for _, e := range errs {
		if e.index < 0 || e.index >= len(sent) {
			return &batch.Fault{Kind: batch.Ambiguous, Err: fmt.Errorf("store: the server names document %d of %d", e.index, len(sent))}
		}
		o, known := classifyWrite(e, c.ns)
		if !known {
			unknown = append(unknown, e.index)
		}
		*place(e.index) = o
	}
	if len(unknown) == 0 {
		return nil
	}
	err := c.ask(ctx, unknown, sent, func(i int, onID bool) { place(i).DuplicateID = onID })
	if err != nil {
		return &batch.Fault{Kind: batch.Ambiguous, Err: fmt.Errorf("store: which index a duplicate is on: %w", err)}
	}
	return nil
}

// Ping returns nil if a server that takes writes answers.
func (c *Collection) Ping(ctx context.Context) error { return c.s.Ping(ctx) }
