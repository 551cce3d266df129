package batch

import (
	"context"
	"fmt"
)

// Sink is what stands behind a buffer: something that takes a batch of BSON documents and says
// what became of each.
//
// Insert is one attempt and one message. It is called from up to Config.Inflight goroutines at
// once and must honour ctx, which carries the attempt's timeout and never a request's context. The
// documents are read-only and belong to the buffer again as soon as Insert returns.
//
// With a nil error the result has one Outcome per document, in their order, and belongs to the
// buffer from then on. With an error the result is ignored, and the error should hold a *Fault that
// says what is known; an error without one counts as Ambiguous, because nothing is known.
type Sink interface {
	Insert(ctx context.Context, docs [][]byte) ([]Outcome, error)
}

// Holder is a Sink that can also be asked which documents the store holds exactly. The buffer asks
// when a duplicate of an _id that the client chose may be the document's own earlier write: after
// an attempt without an answer, and after a replay of the spool.
//
// Holds is asked once for all such documents of a batch and answers in their order. With an error
// the answers may be fewer: they count, and the rest is asked again later, with more time.
type Holder interface {
	Sink
	Holds(ctx context.Context, docs [][]byte) (held []bool, err error)
}

// Pinger is a Sink that can also be asked whether the server answers at all. The buffer asks when
// the server hung up at a document that stands alone and no other batch has shown since that the
// server lives; see Config.Patience.
type Pinger interface {
	Sink
	Ping(ctx context.Context) error
}

// FaultKind says how much is known about an attempt that brought no outcomes.
type FaultKind uint8

const (
	// Ambiguous: the batch was sent, at least in part, and no answer came. It may be stored.
	Ambiguous FaultKind = iota
	// Unsent: nothing reached the server, so that a second attempt can't store anything twice.
	Unsent
	// Refused: the server answered that it won't take the batch as a whole, now or later.
	Refused
)

// String returns "ambiguous", "unsent" or "refused".
func (k FaultKind) String() string {
	switch k {
	case Ambiguous:
		return "ambiguous"
	case Unsent:
		return "unsent"
	case Refused:
		return "refused"
	}
	return fmt.Sprintf("FaultKind(%d)", uint8(k))
}

// Fault is the error of an attempt that brought no outcomes.
type Fault struct {
	Kind FaultKind
	Err  error // what the driver said
}

// Error returns the cause's message with the kind in front.
func (f *Fault) Error() string { return fmt.Sprintf("%v: %v", f.Kind, f.Err) }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }
