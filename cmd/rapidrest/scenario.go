package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/cmd/internal/bench"
)

// scenarioFlags are those of the two servers that are compared.
type scenarioFlags struct {
	Listen        address `help:"Address to listen on, host:port; port 0 takes a free one." default:"127.0.0.1:8080"`
	databaseFlags `embed:""`
	BatchSize     count         `help:"Documents in a full batch of /surveybatched." default:"100"`
	Linger        time.Duration `help:"How long the first document of a batch waits for others; a duration such as 5ms." default:"5ms"`
	Inflight      count         `help:"Batches under way at a time." default:"2"`
	NoDB          bool          `name:"no-db" help:"Do everything but the insert." env:"RAPIDREST_NO_DB"`
	Plant         float64       `hidden:"" help:"Burn this percentage more CPU time in each request, for bench check."`
}

// Validate refuses what the flag types let through.
func (f *scenarioFlags) Validate() error {
	if f.Linger <= 0 {
		return fmt.Errorf("--linger must be above 0, not %v", f.Linger)
	}
	if f.Plant < 0 {
		return fmt.Errorf("--plant must not be below 0, but is %v", f.Plant)
	}
	return f.databaseFlags.Validate()
}

// with is that of the database, once the address to listen on is known to be free.
func (f *scenarioFlags) with(p *process, serve func(uri string) error) error {
	if err := f.Listen.free("--listen"); err != nil {
		return err
	}
	return f.databaseFlags.with(p, serve)
}

// scenarioDrain bounds what follows a signal: sending what the buffers hold. It is far above what a
// full buffer takes; who measures wants every document counted.
const scenarioDrain = 5 * time.Minute

// run serves until a signal comes, then lets the buffers drain.
func (f *scenarioFlags) run(p *process, on listening, srv *fasthttp.Server, drain func(context.Context) (lost int, err error)) error {
	if f.Plant > 0 {
		srv.Handler = bench.Plant(srv.Handler, f.Plant)
	}
	rest, cancel, err := p.serveHTTP(f.Listen, on, srv, scenarioDrain)
	defer cancel()
	lost, drainErr := drain(rest)
	if lost > 0 {
		drainErr = errors.Join(fmt.Errorf("%w: %d of them", errLost, lost), drainErr)
	}
	return errors.Join(err, drainErr)
}
