package store

import (
	"errors"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"
)

// failure is what an attempt met, in one form for both ways of sending. A nil err
// means that every document is stored.
type failure struct {
	err          error
	sent         bool // the message may have reached the server
	code         int32
	noneWritten  bool // the server says that it has written nothing
	transient    bool // the server says that another attempt may succeed
	writeErrors  []writeError
	concernError bool // written, but not as safely as the write concern asks
}

// writeError is what the server said about one document.
type writeError struct {
	index   int
	code    int32
	message string
	raw     bsoncore.Document
}

// driverFailure takes apart an error of driver.Operation.
func driverFailure(err error, sent bool) failure {
	f := failure{err: err, sent: sent}
	var (
		cmd   driver.Error
		write driver.WriteCommandError
	)
	switch {
	case err == nil:
	case errors.As(err, &write):
		f.sent, f.concernError = true, write.WriteConcernError != nil
		f.labels(write.HasErrorLabel)
		for _, e := range write.WriteErrors {
			f.writeErrors = append(f.writeErrors, writeError{int(e.Index), int32(e.Code), e.Message, e.Raw})
		}
	case errors.As(err, &cmd):
		f.code = cmd.Code
		f.sent = sent || cmd.NetworkError()
		f.labels(cmd.HasErrorLabel)
	}
	return f
}

// clientFailure takes apart an error of Database.RunCommand. It keeps the driver's
// error within its own, but for write errors. Nothing tells when the message was
// built, so an error counts as after that unless it is known to come before.
func clientFailure(err error) failure {
	var write mongo.WriteException
	if errors.As(err, &write) {
		f := failure{err: err, sent: true, concernError: write.WriteConcernError != nil}
		f.labels(write.HasErrorLabel)
		for _, e := range write.WriteErrors {
			f.writeErrors = append(f.writeErrors, writeError{e.Index, int32(e.Code), e.Message, bsoncore.Document(e.Raw)})
		}
		return f
	}
	return driverFailure(err, err != nil && !beforeSending(err))
}

// beforeSending knows the errors of finding a server and of getting a connection
// to it.
func beforeSending(err error) bool {
	var (
		selection topology.ServerSelectionError
		queue     topology.WaitQueueTimeoutError
		pool      driver.RetryablePoolError
		network   driver.Error
		dial      topology.ConnectionError
	)
	switch {
	case errors.As(err, &selection), errors.As(err, &queue), errors.As(err, &pool):
		return true
	case errors.As(err, &network):
		return false
	}
	return errors.As(err, &dial) || errors.Is(err, ErrTooLarge) || errors.Is(err, mongo.ErrClientDisconnected)
}

func (f *failure) labels(has func(string) bool) {
	f.noneWritten = has(driver.NoWritesPerformed)
	f.transient = has(driver.RetryableWriteError) || has(driver.TransientTransactionError) || has(driver.ErrRetryableError)
}
