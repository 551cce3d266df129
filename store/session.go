package store

// The driver's own retry of a write, which the URI may turn off, needs a session,
// and to an operation it only comes as the type of a package that is marked as
// internal. What uses it stands here and nowhere else.
//lint:file-ignore SA1019 see above

import (
	"crypto/rand"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/description"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/session"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"
)

// retryOnce makes an operation send its message a second time after a cut or an
// election, at most.
var retryOnce = driver.RetryOncePerCommand

// retries starts the sessions of retryable writes.
type retries struct {
	deployment *topology.Topology
	pool       *session.Pool
	clientID   [16]byte
}

// newRetries returns nil when the URI says retryWrites=false. The deployment is
// connected.
func newRetries(opts *options.ClientOptions, deployment *topology.Topology) (*retries, error) {
	if opts.RetryWrites != nil && !*opts.RetryWrites {
		return nil, nil
	}
	sub, err := deployment.Subscribe()
	if err != nil {
		return nil, err
	}
	r := &retries{deployment: deployment, pool: session.NewPool(sub.Updates)}
	rand.Read(r.clientID[:])
	return r, nil
}

// arm gives the operation a session where retryable writes work, which is
// everywhere but on a standalone. The second message then carries the transaction
// number of the first, and the server executes it once. end gives the session back
// and must be called.
func (r *retries) arm(op *driver.Operation) (end func()) {
	if r == nil {
		return func() {}
	}
	switch r.deployment.Kind() {
	case description.TopologyKindReplicaSetWithPrimary, description.TopologyKindSharded, description.TopologyKindLoadBalanced:
		s := session.NewImplicitClientSession(r.pool, r.clientID)
		op.Client, op.Type, op.RetryMode = s, driver.Write, &retryOnce
		return s.EndSession
	}
	return func() {}
}
