package server

import (
	"context"
	"errors"
	"time"

	"github.com/rapidrest/rapidrest/batch"
)

// disconnectTimeout is what a store that does not answer may still take of the time after a drain.
const disconnectTimeout = time.Second

// Left is how many documents had no outcome when the server closed, by where they are now.
type Left struct {
	Spooled      int // on disk; the next start delivers them
	DeadLettered int // in the dead letter
	Told         int // nowhere, and their clients were told so
	Lost         int // nowhere; this counts the life of the buffers, not their end alone
}

// Close lets the buffers drain until ctx ends, and closes what Open opened. Stop the HTTP server
// first.
func (s *Server) Close(ctx context.Context) (left Left, err error) {
	if s.buffers != nil {
		err = left.add(s.buffers.Close(ctx))
		for _, stats := range s.buffers.Stats() {
			left.Lost += int(stats.Lost)
		}
	}
	if s.dead != nil {
		err = errors.Join(err, s.dead.Close())
	}
	if s.spool != nil {
		err = errors.Join(err, s.spool.Close())
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), disconnectTimeout)
	defer cancel()
	return left, errors.Join(err, s.store.Close(ctx))
}

// add counts the Undelivered among the joined errors in err, and returns the others.
func (l *Left) add(err error) error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var rest []error
		for _, e := range many.Unwrap() {
			rest = append(rest, l.add(e))
		}
		return errors.Join(rest...)
	}
	var u *batch.Undelivered
	if !errors.As(err, &u) {
		return err
	}
	l.Spooled += u.Spooled
	l.DeadLettered += u.DeadLettered
	l.Told += u.Told
	return nil
}
