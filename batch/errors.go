package batch

import (
	"errors"
	"fmt"
)

// Why a document is not admitted. Errors of Add wrap one of these.
var (
	// ErrFull: Pending, PendingBytes or SpoolBytes is reached. Later there may be room.
	ErrFull = errors.New("batch: full")
	// ErrDown: the store is known to be down, and level Store doesn't queue behind that.
	ErrDown = errors.New("batch: the store is down")
	// ErrClosed: Close was called.
	ErrClosed = errors.New("batch: closed")
	// ErrTooLarge: this can never fit: a document over MaxDocument, or one call's documents over
	// Pending or PendingBytes.
	ErrTooLarge = errors.New("batch: too large")
	// ErrInvalid: these bytes are no BSON document: its length prefix or its last byte is wrong.
	// They would break the message for their neighbours.
	ErrInvalid = errors.New("batch: not a BSON document")
	// ErrNoSpool: level Spool was asked of a buffer without Config.Dir.
	ErrNoSpool = errors.New("batch: no spool")
	// ErrSpool: the spool could not be written, for another reason than a full one.
	ErrSpool = errors.New("batch: spool")
)

// ErrLeft is what Ticket.Wait returns for a spooled document whose buffer closed before it was
// delivered. It is on disk and goes out at the next start.
var ErrLeft = errors.New("batch: closed; the document is left in the spool")

// Undelivered is the error of Close when documents had no outcome yet: what is left, and where.
type Undelivered struct {
	Name         string
	Spooled      int   // left in the spool for the next start
	DeadLettered int   // written to the dead letter
	Told         int   // their waiters heard that they failed
	Lost         int   // with nowhere to go: no spool, no dead letter, no waiter
	Err          error // why the store did not take them, where that is known
}

// add adds documents that Close gave up.
func (u *Undelivered) add(t tally) {
	u.Spooled += t.left + t.kept
	u.DeadLettered += t.buried
	u.Lost += t.lost
	u.Told += t.n - t.left - t.kept - t.buried - t.lost
}

// Error says how many documents are left where.
func (u *Undelivered) Error() string {
	return fmt.Sprintf("batch: close %q: %d left in the spool, %d to the dead letter, %d failed with their waiters told, %d lost: %v",
		u.Name, u.Spooled, u.DeadLettered, u.Told, u.Lost, u.Err)
}

// Unwrap returns why the store did not take the documents.
func (u *Undelivered) Unwrap() error { return u.Err }

// Unstored is the error of Flush when every document has its outcome and not all are stored.
type Unstored struct {
	Name             string
	Rejected, Failed int
}

// Error says how many documents ended how.
func (u *Unstored) Error() string {
	return fmt.Sprintf("batch: flush %q: %d rejected, %d failed", u.Name, u.Rejected, u.Failed)
}
