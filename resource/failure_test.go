package resource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"

	"github.com/valyala/fasthttp"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"github.com/rapidrest/rapidrest/router"
)

// network is an error of the network as an operation of the driver returns it.
func network(err error) error {
	return mongo.CommandError{
		Message: err.Error(),
		Labels:  []string{"NetworkError"},
		Wrapped: topology.ConnectionError{ConnectionID: "db:27017[-1]", Wrapped: err},
	}
}

// TestStoreProblem_SlowIsNotGone: only a store that cannot be reached makes the requests of the
// next second fail. One that is slow fails the request that was too slow, and no other.
func TestStoreProblem_SlowIsNotGone(t *testing.T) {
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: os.ErrDeadlineExceeded}
	read := &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}
	for name, c := range map[string]struct {
		err    error
		status int
		outage bool
	}{
		"our deadline":                   {context.DeadlineExceeded, 504, false},
		"our deadline, wrapped":          {fmt.Errorf("find: %w", context.DeadlineExceeded), 504, false},
		"our deadline while reading":     {network(context.DeadlineExceeded), 504, false},
		"the connection's while reading": {network(read), 504, false},
		"the server's own":               {mongo.CommandError{Code: 50, Name: "MaxTimeMSExpired"}, 504, false},
		"all connections in use":         {topology.WaitQueueTimeoutError{Wrapped: context.DeadlineExceeded}, 503, false},
		"the server says not now":        {mongo.CommandError{Code: 91, Labels: []string{"RetryableWriteError"}}, 503, false},
		"no server":                      {topology.ServerSelectionError{Wrapped: errors.New("server selection timeout")}, 503, true},
		"no server within our time":      {topology.ServerSelectionError{Wrapped: context.DeadlineExceeded}, 503, true},
		"refused":                        {topology.ConnectionError{Wrapped: &net.OpError{Op: "dial", Err: errors.New("refused")}}, 503, true},
		"nobody picks up":                {topology.ConnectionError{Wrapped: dial}, 503, true},
		"hung up":                        {network(io.EOF), 503, true},
		"closed":                         {mongo.ErrClientDisconnected, 503, true},
		"it answers and will not":        {mongo.CommandError{Code: 2, Name: "BadValue"}, 400, false},
	} {
		m := &mount{}
		ctx := &router.Ctx{RequestCtx: new(fasthttp.RequestCtx)}
		p := router.AsProblem(m.storeProblem(ctx, c.err, 400))
		if p == nil || p.Status != c.status || m.outage.known() != c.outage {
			t.Errorf("%s: %v, outage %v; want %d, %v", name, p, m.outage.known(), c.status, c.outage)
		}
		if again := len(ctx.Response.Header.Peek("Retry-After")) > 0; again != (c.status == 503) {
			t.Errorf("%s: Retry-After %v", name, again)
		}
	}
}
