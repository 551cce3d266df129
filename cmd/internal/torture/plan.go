package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/rapidrest/rapidrest/cmd/internal/faultproxy"
)

// Faults hold for a random time between these.
const (
	faultMin = 20 * time.Millisecond
	faultMax = 1200 * time.Millisecond
)

// databaseKill is the name of the one fault that is not the proxy's.
const databaseKill = "database killed"

// moments spreads n moments at random over a run, one in each n-th of it, as shares
// of the whole.
func moments(r *rand.Rand, n int) []float64 {
	at := make([]float64, n)
	for i := range at {
		at[i] = (float64(i) + r.Float64()) / float64(n)
	}
	return at
}

// reach waits for a moment of the run: until that share of its time is over, and of
// its documents accepted.
func (x *experiment) reach(ctx context.Context, begun time.Time, share float64) bool {
	if !until(ctx, begun, time.Duration(share*float64(x.cfg.Duration))) {
		return false
	}
	for documents := int(share * float64(x.cfg.Documents)); ; {
		if _, taken := x.ledger.sum(); taken >= documents {
			return true
		}
		if !until(ctx, time.Now(), time.Millisecond) {
			return false
		}
	}
}

// until waits for a time after begun.
func until(ctx context.Context, begun time.Time, at time.Duration) bool {
	t := time.NewTimer(time.Until(begun.Add(at)))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// killer kills the server, each time at its moment, but not before it has taken
// documents since it last came up: killing one that does nothing proves nothing.
func (x *experiment) killer(ctx context.Context, r *rand.Rand, begun time.Time) error {
	for i, at := range moments(r, x.cfg.Kills) {
		after := time.Duration(r.Int64N(int64(300 * time.Millisecond)))
		if !x.reach(ctx, begun, at) {
			return ctx.Err()
		}
		if err := x.busy(ctx); err != nil {
			return err
		}
		if !until(ctx, time.Now(), after) {
			return ctx.Err()
		}
		if err := x.front.died(); err != nil {
			return err
		}
		x.front.kill()
		x.report.Kills++
		x.say("kill %d of the server", i+1)
		if err := x.front.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// busyTimeout bounds how long a server that has been started may take nothing. The
// longest fault and the longest backoff are far below it.
const busyTimeout = time.Minute

// busy waits until more documents are accepted than at the time of the call.
func (x *experiment) busy(ctx context.Context) error {
	_, before := x.ledger.sum()
	if !comes(ctx, func() bool { _, now := x.ledger.sum(); return now > before }) {
		return fmt.Errorf("torture: the server took nothing for %v; it said: %s", busyTimeout, x.front.p.Stderr())
	}
	return nil
}

// refusing waits until more documents are refused than before.
func (x *experiment) refusing(ctx context.Context, before int) error {
	if !comes(ctx, func() bool { return x.ledger.refusals() > before }) {
		return fmt.Errorf("torture: the disk is full, and the server refused nothing for %v", busyTimeout)
	}
	return nil
}

// comes waits for a condition, for busyTimeout at most.
func comes(ctx context.Context, condition func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	for !condition() {
		if !until(ctx, time.Now(), time.Millisecond) {
			return false
		}
	}
	return true
}

// filler fills the disk that the spools lie on, until documents have been refused
// for it and then for a while, and clears it again.
func (x *experiment) filler(ctx context.Context, r *rand.Rand, begun time.Time) error {
	for i, at := range moments(r, x.cfg.FullDisks) {
		hold := faultMin + time.Duration(r.Int64N(int64(faultMax-faultMin)))
		if !x.reach(ctx, begun, at) {
			return ctx.Err()
		}
		before := x.ledger.refusals()
		if err := x.disk.fill(); err != nil {
			return err
		}
		err := x.refusing(ctx, before)
		until(ctx, time.Now(), hold)
		if err := errors.Join(err, x.disk.clear()); err != nil {
			return err
		}
		refused := x.ledger.refusals() - before
		x.report.FullDisks++
		x.report.RefusedFull += refused
		x.say("full disk %d: %d documents refused", i+1, refused)
	}
	return nil
}

// breaker breaks the link to the database, or kills the database, and mends it.
func (x *experiment) breaker(ctx context.Context, r *rand.Rand, begun time.Time) error {
	defer x.proxy.Set(faultproxy.Fault{})
	for i, at := range moments(r, x.cfg.Faults) {
		kind := faultproxy.Kind(1 + r.IntN(int(faultproxy.Kinds))) // one more than there are: the database
		hold := faultMin + time.Duration(r.Int64N(int64(faultMax-faultMin)))
		delay := time.Duration(r.Int64N(int64(50 * time.Millisecond)))
		if !x.reach(ctx, begun, at) {
			return ctx.Err()
		}
		name := databaseKill
		if kind == faultproxy.Kinds {
			x.database.kill()
		} else {
			name = kind.String()
			x.proxy.Set(faultproxy.Fault{Kind: kind, Delay: delay})
		}
		x.report.Faults[name]++
		x.say("fault %d: %s for %v", i+1, name, hold.Round(time.Millisecond))
		until(ctx, time.Now(), hold)
		x.proxy.Set(faultproxy.Fault{})
		if kind == faultproxy.Kinds {
			if err := x.database.start(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
