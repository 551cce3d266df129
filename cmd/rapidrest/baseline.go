package main

import (
	"context"
	"fmt"
	"time"

	"github.com/valyala/fasthttp"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/rapidrest/rapidrest/baseline"
)

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
	// The framework's server has these limits too, and whoever writes a server by hand needs them as
	// much. Here each is a deadline that fasthttp sets for every request, which is what one gets by hand.
	return c.run(p, plain, &fasthttp.Server{
		Handler:               s.Handler,
		NoDefaultServerHeader: true,
		ReadBufferSize:        16 << 10,
		ReadTimeout:           10 * time.Second,
		WriteTimeout:          30 * time.Second,
		IdleTimeout:           60 * time.Second,
	}, s.Close)
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
