package store

import (
	"errors"
	"fmt"

	"github.com/rapidrest/rapidrest/batch"
)

// What to make of a server's error code. The zero value is for the many that say
// that this command, or this document, is wrong and stays wrong.
type verdict uint8

const (
	final     verdict = iota // no, now and later
	again                    // not now
	duplicate                // a unique index has the key already
)

// codes are the error codes that do not mean "final". Numbers and names are those
// of MongoDB's src/mongo/base/error_codes.yml. "again" are the codes of its
// categories RetriableError, NotPrimaryError, ShutdownError, Interruption and
// SystemOverloadedError that an insert can end with, and those that pass when a
// cluster has settled or an operator has done something.
//
// A code says nothing about how much of a batch was written when it ends a command
// as a whole: mongod gives up an insert in the middle on a step-down. So as a
// command's error all of "again" is Ambiguous.
var codes = map[int32]verdict{
	11000: duplicate, // DuplicateKey
	11001: duplicate, // the same, of servers before 3.0
	12582: duplicate, // the same, of mongos before 3.0

	// The server stops being the one to write to.
	91:    again, // ShutdownInProgress
	189:   again, // PrimarySteppedDown
	10058: again, // LegacyNotPrimary
	10107: again, // NotWritablePrimary
	11600: again, // InterruptedAtShutdown
	11602: again, // InterruptedDueToReplStateChange
	13435: again, // NotPrimaryNoSecondaryOk
	13436: again, // NotPrimaryOrSecondary
	371:   again, // UserWritesBlocked, while a cluster is being migrated

	// Something took too long, or was stopped.
	24:       again, // LockTimeout
	46:       again, // LockBusy
	50:       again, // MaxTimeMSExpired
	262:      again, // ExceededTimeLimit
	355:      again, // InterruptedDueToStorageChange
	453:      again, // InterruptedDueToReshardingCriticalSection
	11601:    again, // Interrupted
	46841:    again, // ClientMarkedKilled
	10045600: again, // InterruptedDueToFCVChange

	// Servers of a cluster do not reach each other.
	6:     again, // HostUnreachable
	7:     again, // HostNotFound
	89:    again, // NetworkTimeout
	133:   again, // FailedToSatisfyReadPreference: mongos finds no primary
	202:   again, // NetworkInterfaceExceededTimeLimit
	384:   again, // ConnectionError
	407:   again, // PooledConnectionAcquisitionExceededTimeLimit
	9001:  again, // SocketException
	91331: again, // RetriableRemoteCommandFailure

	// Something else is under way on the same data.
	63:    again, // StaleShardVersion
	112:   again, // WriteConflict
	117:   again, // ConflictingOperationInProgress
	150:   again, // StaleEpoch
	215:   again, // DatabaseDropPending
	249:   again, // StaleDbVersion
	272:   again, // MigrationConflict
	314:   again, // ObjectIsBusy
	358:   again, // InternalTransactionNotSupported, while a cluster is upgraded
	363:   again, // RetryableTransactionInProgress
	406:   again, // MigrationBlockingOperationCoordinatorCleaningUp
	412:   again, // UpdatesStillPending
	12586: again, // BackgroundOperationInProgressForDatabase
	12587: again, // BackgroundOperationInProgressForNamespace
	13388: again, // StaleConfig

	// Too much at once, or out of something.
	264:   again, // TooManyFilesOpen
	365:   again, // TemporarilyUnavailable
	402:   again, // ResourceExhausted
	433:   again, // AdmissionQueueOverflow
	449:   again, // RateLimitExceeded
	450:   again, // PooledConnectionAcquisitionRejected
	462:   again, // IngressRequestRateLimitExceeded
	14031: again, // OutOfDiskSpace

	// Credentials that ran out are renewed with the next connection.
	391: again, // ReauthenticationRequired

	// The server had an accident. FerretDB answers this, and closes the connection,
	// when SQLite or PostgreSQL fails under it.
	1: again, // InternalError
	8: again, // UnknownError
}

// classify turns what an attempt met into a Fault, or nil where the documents have
// outcomes of their own. From the top, the first that fits:
//
//	the message was never built        Unsent, but Refused where it was too large
//	write concern not satisfied        Ambiguous: written, perhaps not to stay
//	errors by document                 nil
//	"no writes performed"              Unsent
//	a network error, a timeout         Ambiguous
//	an error code that means "again"   Ambiguous
//	any other error code               Refused
//	an answer that can't be read       Ambiguous
//
// A duplicate as the error of a whole command is Ambiguous too, for want of an
// index.
func classify(f failure) *batch.Fault {
	fault := func(kind batch.FaultKind) *batch.Fault {
		return &batch.Fault{Kind: kind, Err: fmt.Errorf("store: insert: %w", cause(f.err))}
	}
	switch {
	case errors.Is(f.err, ErrTooLarge):
		return fault(batch.Refused)
	case !f.sent:
		return fault(batch.Unsent)
	case f.concernError:
		return fault(batch.Ambiguous)
	case len(f.writeErrors) > 0:
		return nil
	case f.noneWritten:
		return fault(batch.Unsent)
	case f.code != 0 && !f.transient && codes[f.code] == final:
		return fault(batch.Refused)
	}
	return fault(batch.Ambiguous)
}

// classifyWrite turns the server's word on one document into its outcome. known is
// false for a duplicate whose index the server does not name.
func classifyWrite(e writeError, ns string) (o batch.Outcome, known bool) {
	o = batch.Outcome{Kind: batch.Rejected, Code: e.code, Reason: e.message}
	switch codes[e.code] {
	case again:
		// InternalError about one document is about that document.
		if e.code != 1 && e.code != 8 {
			o.Kind, o.Retry = batch.Failed, true
		}
	case duplicate:
		o.Duplicate = true
		o.DuplicateID, known = onID(e, ns)
		return o, known
	}
	return o, true
}
