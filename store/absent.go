package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/description"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"
)

// knockTimeout bounds the look at one host. A host that is up refuses a connection
// to a port where nobody listens within a round trip.
const knockTimeout = 500 * time.Millisecond

// absence finds out whether there is anybody to send to.
//
// The driver does not: an operation waits for a server for SelectionTimeout, in
// case one comes, also where every host says that nobody listens. That wait is
// right for an election, which takes seconds and during which some host answers.
// For a database that is not running it means that a buffer learns of it only
// after seconds, with its clients waiting.
type absence struct {
	deployment *topology.Topology
	dialer     options.ContextDialer
}

func newAbsence(opts *options.ClientOptions, deployment *topology.Topology) absence {
	a := absence{deployment: deployment, dialer: opts.Dialer}
	if a.dialer == nil {
		a.dialer = &net.Dialer{}
	}
	return a
}

// check returns an error if there is nobody. While the driver knows of a server
// that answered last time it looks no further and costs a few nanoseconds; else it
// knocks at every host, so that a database that came back is not missed because the
// driver has not looked again yet. One host that does anything else than refuse
// leaves the matter to the driver.
func (a absence) check(ctx context.Context) error {
	servers := a.deployment.Description().Servers
	for _, s := range servers {
		if s.Kind != description.Unknown || s.LastError == nil {
			return nil
		}
	}
	var refused error
	for _, s := range servers {
		if refused = a.knock(ctx, s); refused == nil {
			return nil
		}
	}
	return refused
}

// knock returns an error if nobody listens at the server's address.
func (a absence) knock(ctx context.Context, s description.Server) error {
	ctx, cancel := context.WithTimeout(ctx, knockTimeout)
	defer cancel()
	conn, err := a.dialer.DialContext(ctx, s.Addr.Network(), s.Addr.String())
	if err == nil {
		conn.Close()
		return nil
	}
	// ENOENT is what a Unix socket says.
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT) {
		return fmt.Errorf("nobody listens: %w", err)
	}
	return nil
}
