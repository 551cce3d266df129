package store

import (
	"context"
	"time"
)

// attempt is a context that ends when its parent does and hides when that will
// be.
//
// The driver takes a deadline as leave to try again without limit until it has
// passed, and as the server's time limit for the command. An attempt is one
// message: when it fails, the buffer decides what is sent next. The driver also
// closes a connection at once only on cancellation; for a deadline it keeps it to
// read the late reply from. So to the driver an attempt whose time is up looks
// cancelled.
type attempt struct{ context.Context }

func withoutDeadline(ctx context.Context) context.Context { return attempt{ctx} }

// Deadline says that there is none.
func (attempt) Deadline() (time.Time, bool) { return time.Time{}, false }

// Err is context.Canceled once the parent has ended, for whatever reason.
func (a attempt) Err() error {
	if a.Context.Err() != nil {
		return context.Canceled
	}
	return nil
}
