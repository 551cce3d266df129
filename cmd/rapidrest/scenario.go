package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rapidrest/rapidrest/baseline"
	"github.com/valyala/fasthttp"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// scenarioFlags are those of the two servers that are compared.
type scenarioFlags struct {
	Listen        address `help:"Address to listen on, host:port; port 0 takes a free one." default:"127.0.0.1:8080"`
	databaseFlags `embed:""`
	BatchSize     count         `help:"Documents in a full batch of /surveybatched." default:"100"`
	Linger        time.Duration `help:"How long the first document of a batch waits for others; a duration such as 5ms." default:"5ms"`
	Inflight      count         `help:"Batches under way at a time." default:"2"`
	NoDB          bool          `name:"no-db" help:"Do everything but the insert." env:"RAPIDREST_NO_DB"`
}

// Validate refuses what the flag types let through.
func (f *scenarioFlags) Validate() error {
	if f.Linger <= 0 {
		return fmt.Errorf("--linger must be above 0, not %v", f.Linger)
	}
	return f.databaseFlags.Validate()
}

// drainTimeout bounds what follows a signal: sending what the buffers hold.
const drainTimeout = 30 * time.Second

type baselineCommand struct {
	scenarioFlags `embed:""`
}

// Run serves the scenario routes by hand until a signal comes.
func (c *baselineCommand) Run(p *process) error {
	if c.NoDB {
		return c.serve(p, nil)
	}
	return c.with(p, func(uri string) error {
		client, err := connect(p.stop, uri)
		if err != nil {
			return err
		}
		defer client.Disconnect(context.Background())
		return c.serve(p, client.Database(c.Database))
	})
}

func (c *baselineCommand) serve(p *process, db *mongo.Database) error {
	s := baseline.New(baseline.Config{
		Database:  db,
		BatchSize: int(c.BatchSize),
		Linger:    c.Linger,
		Inflight:  int(c.Inflight),
		Logger:    p.log,
	})
	err := p.serveHTTP(c.Listen, &fasthttp.Server{
		Handler:               s.Handler,
		NoDefaultServerHeader: true,
		ReadBufferSize:        16 << 10,
	})
	drain, cancel := context.WithTimeout(p.kill, drainTimeout)
	defer cancel()
	lost, closeErr := s.Close(drain)
	if lost > 0 {
		closeErr = errors.Join(fmt.Errorf("%w: %d of them", errLost, lost), closeErr)
	}
	return errors.Join(err, closeErr)
}

// connectTimeout is how long a database may take to answer when a server starts.
const connectTimeout = 8 * time.Second

// connect returns a client of the database once it has answered.
func connect(ctx context.Context, uri string) (*mongo.Client, error) {
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if err := client.Ping(ctx, nil); err != nil {
		client.Disconnect(context.Background())
		return nil, fmt.Errorf("the database does not answer: %w", err)
	}
	return client, nil
}
