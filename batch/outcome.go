package batch

import (
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
	for i := range outcomes {
		o := &outcomes[i]
		switch {
		case o.Kind == Stored:
			*o = Outcome{Kind: Stored}
		case o.DuplicateID:
			*o = b.judgeDuplicate(c, i, *o)
		case o.Retry:
			o.Kind = 0
		case o.Kind != Rejected && o.Kind != Failed:
			*o = Outcome{Kind: Rejected, Reason: "the sink named no outcome"}
		}
	}
}

// judgeDuplicate decides what "this _id exists" means for document i of c.
//
// On the first attempt it means what it says: somebody else's document has this _id, and ours is
// rejected. It may mean "your own earlier write" in two cases only: an attempt before this one went
// without an answer, or the document comes out of the spool, where the write may have happened
// just before the process died. Then an _id that we generated settles it, since nobody else could
// have used it: stored. An _id that the client chose does not, and the sink is asked whether the
// store holds just this document. A sink that can't be asked leaves two answers, each wrong in some
// case. After an attempt without an answer the client still listens, or the dead letter does, so
// that "rejected" loses nothing: it is taken. After a replay the document was admitted and answered
// in an earlier life, and the usual reason for the duplicate is that it was stored in the moment of
// the crash: stored.
//
// A document that was admitted with Entry.Repeat doesn't care whose write it was.
func (b *Buffer) judgeDuplicate(c *cargo, i int, o Outcome) Outcome {
	m := c.marks[i]
	stored := Outcome{Kind: Stored}
	rejected := o
	rejected.Kind, rejected.Retry = Rejected, false

	switch {
	case m.has(repeat):
		return stored
	case !c.ambiguous && !m.has(replayed):
		return rejected
	case !m.has(chosen):
		return stored
	}
	holder, ok := b.sink.(Holder)
	if !ok {
		if m.has(replayed) {
			return stored
		}
		return rejected
	}
	held, err := b.holds(holder, c.docs[i])
	switch {
	case err != nil:
		return Outcome{Retry: true, Reason: err.Error()}
	case held:
		return stored
	}
	return rejected
}

// holds asks the sink. Each question has the time of an attempt to itself: a batch may need many, and
// if they shared what the insert had left of its time, a store that answers slowly would leave the
// same ones open again and again.
func (b *Buffer) holds(h Holder, doc []byte) (held bool, err error) {
	defer recovered(&err)
	ctx, cancel := b.attemptContext()
	defer cancel()
	return h.Holds(ctx, doc)
}
