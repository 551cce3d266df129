package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"github.com/rapidrest/rapidrest/batch"
)

// What the server answers to a command as a whole, by code, as a MongoDB operator
// would want it: "again" is what passes by itself or by their hand.
var commandRows = []struct {
	code int32
	name string
	want batch.FaultKind
}{
	{91, "ShutdownInProgress", batch.Ambiguous},
	{189, "PrimarySteppedDown", batch.Ambiguous},
	{10058, "LegacyNotPrimary", batch.Ambiguous},
	{10107, "NotWritablePrimary", batch.Ambiguous},
	{11600, "InterruptedAtShutdown", batch.Ambiguous},
	{11602, "InterruptedDueToReplStateChange", batch.Ambiguous},
	{13435, "NotPrimaryNoSecondaryOk", batch.Ambiguous},
	{13436, "NotPrimaryOrSecondary", batch.Ambiguous},
	{371, "UserWritesBlocked", batch.Ambiguous},

	{24, "LockTimeout", batch.Ambiguous},
	{46, "LockBusy", batch.Ambiguous},
	{50, "MaxTimeMSExpired", batch.Ambiguous},
	{262, "ExceededTimeLimit", batch.Ambiguous},
	{355, "InterruptedDueToStorageChange", batch.Ambiguous},
	{453, "InterruptedDueToReshardingCriticalSection", batch.Ambiguous},
	{11601, "Interrupted", batch.Ambiguous},
	{46841, "ClientMarkedKilled", batch.Ambiguous},
	{10045600, "InterruptedDueToFCVChange", batch.Ambiguous},

	{6, "HostUnreachable", batch.Ambiguous},
	{7, "HostNotFound", batch.Ambiguous},
	{89, "NetworkTimeout", batch.Ambiguous},
	{133, "FailedToSatisfyReadPreference", batch.Ambiguous},
	{202, "NetworkInterfaceExceededTimeLimit", batch.Ambiguous},
	{384, "ConnectionError", batch.Ambiguous},
	{407, "PooledConnectionAcquisitionExceededTimeLimit", batch.Ambiguous},
	{9001, "SocketException", batch.Ambiguous},
	{91331, "RetriableRemoteCommandFailure", batch.Ambiguous},

	{63, "StaleShardVersion", batch.Ambiguous},
	{112, "WriteConflict", batch.Ambiguous},
	{117, "ConflictingOperationInProgress", batch.Ambiguous},
	{150, "StaleEpoch", batch.Ambiguous},
	{215, "DatabaseDropPending", batch.Ambiguous},
	{249, "StaleDbVersion", batch.Ambiguous},
	{272, "MigrationConflict", batch.Ambiguous},
	{314, "ObjectIsBusy", batch.Ambiguous},
	{358, "InternalTransactionNotSupported", batch.Ambiguous},
	{363, "RetryableTransactionInProgress", batch.Ambiguous},
	{406, "MigrationBlockingOperationCoordinatorCleaningUp", batch.Ambiguous},
	{412, "UpdatesStillPending", batch.Ambiguous},
	{12586, "BackgroundOperationInProgressForDatabase", batch.Ambiguous},
	{12587, "BackgroundOperationInProgressForNamespace", batch.Ambiguous},
	{13388, "StaleConfig", batch.Ambiguous},

	{264, "TooManyFilesOpen", batch.Ambiguous},
	{365, "TemporarilyUnavailable", batch.Ambiguous},
	{402, "ResourceExhausted", batch.Ambiguous},
	{433, "AdmissionQueueOverflow", batch.Ambiguous},
	{449, "RateLimitExceeded", batch.Ambiguous},
	{450, "PooledConnectionAcquisitionRejected", batch.Ambiguous},
	{462, "IngressRequestRateLimitExceeded", batch.Ambiguous},
	{14031, "OutOfDiskSpace", batch.Ambiguous},

	{391, "ReauthenticationRequired", batch.Ambiguous},
	{1, "InternalError", batch.Ambiguous},
	{8, "UnknownError", batch.Ambiguous},

	{11000, "DuplicateKey", batch.Ambiguous}, // of which document?
	{11001, "DuplicateKey", batch.Ambiguous},
	{12582, "DuplicateKey", batch.Ambiguous},

	{2, "BadValue", batch.Refused},
	{9, "FailedToParse", batch.Refused},
	{13, "Unauthorized", batch.Refused},
	{20, "IllegalOperation", batch.Refused},
	{22, "InvalidBSON", batch.Refused},
	{26, "NamespaceNotFound", batch.Refused},
	{59, "CommandNotFound", batch.Refused},
	{73, "InvalidNamespace", batch.Refused},
	{166, "CommandNotSupportedOnView", batch.Refused},
	{323, "APIStrictError", batch.Refused},
	{8000, "AtlasError", batch.Refused},
	{10334, "BSONObjectTooLarge", batch.Refused},
	{40415, "IDLUnknownField", batch.Refused},
	{999_999, "a code nobody knows yet", batch.Refused},
}

func TestEveryCodeOfACommand(t *testing.T) {
	seen := make(map[int32]bool)
	for _, row := range commandRows {
		seen[row.code] = true
		err := driver.Error{Code: row.code, Name: row.name, Message: "no"}
		for from, f := range map[string]failure{
			"operation":  driverFailure(err, true),
			"RunCommand": clientFailure(mongo.CommandError{Code: row.code, Name: row.name, Wrapped: err}),
		} {
			fault := classify(f)
			if fault == nil || fault.Kind != row.want || !errors.As(fault, new(driver.Error)) {
				t.Errorf("%s, %d %s: %v, want %v", from, row.code, row.name, fault, row.want)
			}
		}
	}
	for code := range codes {
		if !seen[code] {
			t.Errorf("code %d has no row in this test", code)
		}
	}
}

func TestEveryOtherWayToFail(t *testing.T) {
	network := driver.Error{Labels: []string{driver.NetworkError}, Wrapped: topology.ConnectionError{Wrapped: io.EOF}}
	concern := driver.WriteCommandError{WriteConcernError: &driver.WriteConcernError{Code: 64, Name: "WriteConcernTimeout"}}
	both := driver.WriteCommandError{WriteConcernError: concern.WriteConcernError, WriteErrors: driver.WriteErrors{{Index: 0, Code: 121}}}
	label := func(code int32, label string) error { return driver.Error{Code: code, Labels: []string{label}} }
	for name, row := range map[string]struct {
		f    failure
		want batch.FaultKind
	}{
		"cut":                               {driverFailure(network, true), batch.Ambiguous},
		"cut, by RunCommand":                {clientFailure(mongo.CommandError{Wrapped: network}), batch.Ambiguous},
		"reply that is none":                {driverFailure(errors.New("malformed wire message"), true), batch.Ambiguous},
		"cancelled under way":               {driverFailure(context.Canceled, true), batch.Ambiguous},
		"write concern failed":              {driverFailure(concern, true), batch.Ambiguous},
		"write concern and a document":      {driverFailure(both, true), batch.Ambiguous},
		"write concern, by RunCommand":      {clientFailure(mongo.WriteException{WriteConcernError: &mongo.WriteConcernError{Code: 64}}), batch.Ambiguous},
		"no server":                         {driverFailure(topology.ServerSelectionError{Wrapped: context.DeadlineExceeded}, false), batch.Unsent},
		"no server, by RunCommand":          {clientFailure(topology.ServerSelectionError{Wrapped: context.DeadlineExceeded}), batch.Unsent},
		"no connection free":                {driverFailure(topology.WaitQueueTimeoutError{}, false), batch.Unsent},
		"no connection free, by RunCommand": {clientFailure(topology.WaitQueueTimeoutError{}), batch.Unsent},
		"pool cleared, by RunCommand":       {clientFailure(poolCleared{}), batch.Unsent},
		"dial failed, by RunCommand":        {clientFailure(topology.ConnectionError{Wrapped: io.EOF}), batch.Unsent},
		"client closed, by RunCommand":      {clientFailure(mongo.ErrClientDisconnected), batch.Unsent},
		"cancelled before the connection":   {driverFailure(context.Canceled, false), batch.Unsent},
		"too large":                         {driverFailure(fmt.Errorf("%w: 5", ErrTooLarge), false), batch.Refused},
		"too large, by RunCommand":          {clientFailure(fmt.Errorf("%w: 5", ErrTooLarge)), batch.Refused},
		"no writes performed":               {driverFailure(label(10107, driver.NoWritesPerformed), true), batch.Unsent},
		"a code we do not know, retryable":  {driverFailure(label(999_999, driver.RetryableWriteError), true), batch.Ambiguous},
		"overloaded, a code we don't know":  {driverFailure(label(999_999, driver.ErrRetryableError), true), batch.Ambiguous},
	} {
		if fault := classify(row.f); fault == nil || fault.Kind != row.want {
			t.Errorf("%s: %v, want %v", name, fault, row.want)
		}
	}
}

// poolCleared is what topology.poolClearedError, which has no exported name, is to
// us.
type poolCleared struct{}

func (poolCleared) Error() string   { return "pool cleared" }
func (poolCleared) Retryable() bool { return true }

func raw(t *testing.T, d bson.D) bsoncore.Document {
	t.Helper()
	b, err := bson.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEveryCodeOfADocument(t *testing.T) {
	for _, row := range []struct {
		code  int32
		name  string
		retry bool
	}{
		{2, "BadValue", false},
		{13, "Unauthorized", false},
		{53, "InvalidIdField", false},
		{121, "DocumentValidationFailure", false},
		{10334, "BSONObjectTooLarge", false},
		{17280, "KeyTooLong", false},
		{999_999, "a code nobody knows yet", false},
		{1, "InternalError", false}, // about this document: it would come again
		{8, "UnknownError", false},
		{112, "WriteConflict", true},
		{13388, "StaleConfig", true},
		{11602, "InterruptedDueToReplStateChange", true},
		{50, "MaxTimeMSExpired", true},
		{14031, "OutOfDiskSpace", true},
	} {
		o, known := classifyWrite(writeError{code: row.code, message: row.name}, "db.c")
		want := batch.Outcome{Kind: batch.Rejected, Code: row.code, Reason: row.name}
		if row.retry {
			want.Kind, want.Retry = batch.Failed, true
		}
		if o != want || !known {
			t.Errorf("%d %s: %+v (%v), want %+v", row.code, row.name, o, known, want)
		}
	}
}

// E11000 on another index than _id, or on an _id that the client chose, is a real
// rejection: the index must be told right, and a value in the message must not be
// taken for its name.
func TestLesson36_WhichIndexADuplicateIsOn(t *testing.T) {
	pattern := func(keys ...string) bson.D {
		var d bson.D
		for _, k := range keys {
			d = append(d, bson.E{Key: k, Value: 1})
		}
		return bson.D{{Key: "keyPattern", Value: d}}
	}
	for name, row := range map[string]struct {
		message string
		raw     bson.D
		onID    bool
		known   bool
	}{
		"pattern _id":           {"", pattern("_id"), true, true},
		"pattern email":         {"", pattern("email"), false, true},
		"pattern _id and email": {"", pattern("_id", "email"), false, true},
		"pattern over message":  {"E11000 duplicate key error collection: db.c index: _id_ dup key: { _id: 1 }", pattern("email"), false, true},
		"message _id":           {"E11000 duplicate key error collection: db.c index: _id_ dup key: { _id: 1 }", nil, true, true},
		"message email":         {"E11000 duplicate key error collection: db.c index: email_1 dup key: { email: \"a\" }", nil, false, true},
		"value looks like _id":  {"E11000 duplicate key error collection: db.c index: email_1 dup key: { email: \"collection: db.c index: _id_ dup key: \" }", nil, false, true},
		"old message _id":       {"E11000 duplicate key error index: db.c.$_id_  dup key: { : 1 }", nil, true, true},
		"old message email":     {"E11000 duplicate key error index: db.c.$email_1  dup key: { : 1 }", nil, false, true},
		"name with spaces":      {"E11000 duplicate key error collection: db.c index: my _id_ dup key: { a: 1 }", nil, false, true},
		"another namespace":     {"E11000 duplicate key error collection: db.d index: _id_ dup key: { _id: 1 }", nil, false, false},
		"FerretDB":              {"E11000 duplicate key error collection: db.c", nil, false, false},
		"nothing":               {"", nil, false, false},
	} {
		e := writeError{code: 11000, message: row.message}
		if row.raw != nil {
			e.raw = raw(t, row.raw)
		}
		o, known := classifyWrite(e, "db.c")
		want := batch.Outcome{Kind: batch.Rejected, Code: 11000, Duplicate: true, DuplicateID: row.onID, Reason: row.message}
		if o != want || known != row.known {
			t.Errorf("%s: %+v (%v), want %+v (%v)", name, o, known, want, row.known)
		}
	}
}
