package batch

import (
	"context"
	"fmt"
)

// Kind is how a document ended. The zero Kind means that it has not ended yet.
type Kind uint8

const (
	// Stored: the store acknowledged the document.
	Stored Kind = iota + 1
	// Rejected: the store said no to this document, and would again.
	Rejected
	// Failed: the document could not be delivered before its deadline, or before the buffer closed.
	Failed

	// left is the end of a spooled document whose buffer closed first: it has no outcome in this
	// life of the process. Wait turns it into ErrLeft.
	left
)

// String returns "stored", "rejected" or "failed".
func (k Kind) String() string {
	switch k {
	case 0:
		return "undecided"
	case Stored:
		return "stored"
	case Rejected:
		return "rejected"
	case Failed:
		return "failed"
	case left:
		return "left"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Outcome is what became of one document.
type Outcome struct {
	Kind        Kind
	Code        int32  // the server's error code; 0 where there is none
	DuplicateID bool   // error 11000 on _id
	Duplicate   bool   // error 11000 on any unique index, _id included
	Retry       bool   // from a sink only: not stored, and worth another attempt
	Reason      string // the server's words, or ours; "" for a stored document
}

// plain says that the outcome is its kind and nothing more, so that a byte is enough to keep it.
func (o Outcome) plain() bool { return o == Outcome{Kind: o.Kind} }

// judge turns what the sink said about the documents of b into what the buffer makes of it, in
// place. A zero Kind afterwards means that the document is undecided and goes out again.
func (b *Buffer) judge(c *cargo, outcomes []Outcome) {
	var unsure []int
	for i := range outcomes {
		o := &outcomes[i]
		switch {
		case o.Kind == Stored:
			*o = Outcome{Kind: Stored}
		case o.DuplicateID && c.mayBeOurs(i):
			unsure = append(unsure, i)
		case o.DuplicateID:
			o.Kind, o.Retry = Rejected, false
		case o.Retry:
			o.Kind = 0
		case o.Kind != Rejected && o.Kind != Failed:
			*o = Outcome{Kind: Rejected, Reason: "the sink named no outcome"}
		}
	}
	b.judgeDuplicates(c, outcomes, unsure)
}

// mayBeOurs says whether "this _id exists" is anything but a no to document i. With Entry.Repeat it is
// all the same whose write it was. Otherwise, on
// the first attempt it means what it says: somebody else's document has this _id, and ours is
// rejected. It may mean "your own earlier write" in two cases only: an attempt before this one went
// without an answer, or the document comes out of the spool, where the write may have happened
// just before the process died.
func (c *cargo) mayBeOurs(i int) bool {
	return c.ambiguous || c.marks[i].has(repeat) || c.marks[i].has(replayed)
}

// judgeDuplicates decides what "this _id exists" means for documents of c that may be their own
// earlier write.
//
// An _id that we generated settles it, since nobody else could have used it: stored. An _id that the
// client chose does not, and the sink is asked whether the store holds just this document. A sink
// that can't be asked leaves two answers, each wrong in some case. After an attempt without an
// answer the client still listens, or the dead letter does, so that "rejected" loses nothing: it is
// taken. After a replay the document was admitted and answered in an earlier life, and the usual
// reason for the duplicate is that it was stored in the moment of the crash: stored.
func (b *Buffer) judgeDuplicates(c *cargo, outcomes []Outcome, which []int) {
	holder, canAsk := b.sink.(Holder)
	var asked []int
	for _, i := range which {
		m := c.marks[i]
		switch {
		case m.has(repeat) || !m.has(chosen) || !canAsk && m.has(replayed):
			outcomes[i] = Outcome{Kind: Stored}
		case canAsk:
			asked = append(asked, i)
		default:
			outcomes[i].Kind, outcomes[i].Retry = Rejected, false
		}
	}
	if len(asked) > 0 {
		b.ask(holder, c, outcomes, asked)
	}
}

// ask decides the duplicates among c's documents by what the store holds. Those it gives no answer for
// go out again.
func (b *Buffer) ask(h Holder, c *cargo, outcomes []Outcome, which []int) {
	docs := make([][]byte, len(which))
	for k, i := range which {
		docs[k] = c.docs[i]
	}
	held, err := b.holds(h, c, docs)
	for k, i := range which {
		switch {
		case k >= len(held):
			outcomes[i] = Outcome{Retry: true, Reason: err.Error()}
		case held[k]:
			outcomes[i] = Outcome{Kind: Stored}
		default:
			outcomes[i].Kind, outcomes[i].Retry = Rejected, false
		}
	}
}

// longestQuestion is how many attempts' time a question gets at the most, as a power of two.
const longestQuestion = 6

// holds asks the sink about documents of c. The question has an attempt's time to itself, whatever
// the insert took, and twice as much with each time that it was not enough: a store that looks
// through a large collection for its answer would otherwise be stopped and asked anew for ever. The
// error is not nil where answers are missing.
func (b *Buffer) holds(h Holder, c *cargo, docs [][]byte) (held []bool, err error) {
	ctx, cancel := context.WithTimeout(b.base, b.cfg.AttemptTimeout<<min(c.questions, longestQuestion))
	defer cancel()
	defer func() {
		if err != nil {
			c.questions++
		}
	}()
	defer recovered(&err)
	held, err = h.Holds(ctx, docs)
	if err == nil && len(held) != len(docs) {
		err = fmt.Errorf("batch: sink answered for %d documents of %d", len(held), len(docs))
	}
	return held[:min(len(held), len(docs))], err
}
