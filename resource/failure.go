package resource

import (
	"errors"
	"net"
	"net/http"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/router"
)

// retryAfter is the Retry-After of a 503, in seconds: what is full drains, and what is down
// is asked again, within about that time.
const retryAfter = "1"

// unavailable makes the answer a 503 with Retry-After.
func unavailable(c *router.Ctx, detail string) error {
	c.Response.Header.Set("Retry-After", retryAfter)
	return router.NewProblem(http.StatusServiceUnavailable, detail)
}

// documentProblem is the answer to a body that became no document.
func documentProblem(err error) *router.Problem {
	e, ok := errors.AsType[*document.Error](err)
	if !ok {
		return router.NewProblem(http.StatusBadRequest, err.Error())
	}
	return router.NewProblem(documentStatus(e), e.Msg).
		With("offset", e.Offset).With("line", e.Line).With("column", e.Column).With("pointer", e.Pointer)
}

func documentStatus(e *document.Error) int {
	switch e.Kind {
	case document.Unfit:
		return http.StatusUnprocessableEntity
	case document.TooLarge:
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusBadRequest
}

// admissionProblem is the answer to a document that the buffer did not take.
func admissionProblem(c *router.Ctx, err error) error {
	switch {
	case errors.Is(err, batch.ErrFull):
		return unavailable(c, "resource: too many documents wait for the store; none of this request was taken")
	case errors.Is(err, batch.ErrDown):
		return unavailable(c, "resource: the store is down; nothing of this request was taken")
	case errors.Is(err, batch.ErrTooMany):
		return unavailable(c, "resource: too many collections are written to at once; nothing of this request was taken")
	case errors.Is(err, batch.ErrClosed):
		return unavailable(c, "resource: the server is shutting down; nothing of this request was taken")
	case errors.Is(err, batch.ErrSpool):
		return unavailable(c, "resource: the spool cannot be written; nothing of this request was taken")
	case errors.Is(err, batch.ErrTooLarge):
		return router.NewProblem(http.StatusRequestEntityTooLarge, "resource: more than the buffer of this collection can hold")
	}
	return err
}

// verdict is the status and the words for an outcome that is not "stored".
func verdict(o batch.Outcome) (status int, detail string) {
	switch {
	case o.DuplicateID:
		return http.StatusConflict, "a document with this _id exists"
	case o.Duplicate:
		return http.StatusConflict, "another document holds this value of a unique index"
	case o.Kind == batch.Rejected:
		return http.StatusUnprocessableEntity, "the store rejected the document: " + o.Reason
	}
	return http.StatusServiceUnavailable, "the document could not be delivered to the store"
}

// outcomeProblem is the answer to one document whose outcome is not "stored".
func outcomeProblem(c *router.Ctx, o batch.Outcome) error {
	status, detail := verdict(o)
	if status == http.StatusServiceUnavailable {
		return unavailable(c, "resource: "+detail)
	}
	return router.NewProblem(status, "resource: "+detail)
}

// storeGone is what is said of a store that does not answer.
const storeGone = "resource: the store cannot be reached"

// storeProblem is the answer to an operation on the store that failed: 409 for a value that
// a unique index has, 503 where the store cannot be reached, 504 where it is there and was
// too slow, and refused, a 4xx, where it answers that it won't. Only a store that cannot be
// reached is left in peace for a while: a query that takes too long says nothing about the
// others.
func (m *mount) storeProblem(c *router.Ctx, err error, refused int) error {
	if duplicate(err) {
		return router.NewProblem(http.StatusConflict, "resource: another document holds this value of a unique index")
	}
	e, answered := errors.AsType[mongo.ServerError](err)
	switch {
	case unreachable(err):
		m.outage.begin()
		return unavailable(c, storeGone)
	case queued(err):
		return unavailable(c, "resource: all connections to the store are busy")
	case mongo.IsTimeout(err): // of the server, of the connection, or our own deadline
		return router.NewProblem(http.StatusGatewayTimeout, "resource: the query took too long")
	case mongo.IsNetworkError(err),
		answered && (e.HasErrorLabel("RetryableWriteError") || e.HasErrorLabel("TransientTransactionError")):
		return unavailable(c, storeGone)
	case answered && !e.HasErrorCode(internalError):
		return router.NewProblem(refused, "resource: the store refuses this: "+err.Error())
	}
	return err
}

// internalError is the code of a server that failed itself. What it says is not for clients.
const internalError = 1

// duplicate knows what a value that a unique index has looks like. Where a replacement meets
// one, the embedded database passes on what SQLite says.
func duplicate(err error) bool {
	e, ok := errors.AsType[mongo.ServerError](err)
	return mongo.IsDuplicateKeyError(err) ||
		ok && e.HasErrorCodeWithMessage(internalError, "UNIQUE constraint failed")
}

// unreachable knows the errors of finding a server and a connection to it, which the driver
// does not count among its network errors. A connection that was given up because the answer
// did not come in time is not one of them: there the store is slow.
func unreachable(err error) bool {
	if _, ok := errors.AsType[topology.ServerSelectionError](err); ok || errors.Is(err, mongo.ErrClientDisconnected) {
		return true
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return true
	}
	_, broken := errors.AsType[topology.ConnectionError](err)
	return broken && !mongo.IsTimeout(err)
}

// queued knows the error of waiting in vain for one of the connections that there are.
func queued(err error) bool {
	_, ok := errors.AsType[topology.WaitQueueTimeoutError](err)
	return ok
}
