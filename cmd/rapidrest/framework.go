package main

import (
	"context"

	"github.com/rapidrest/rapidrest/cmd/internal/scenario"
	"github.com/rapidrest/rapidrest/router"
	"github.com/rapidrest/rapidrest/store"
)

type frameworkCommand struct {
	scenarioFlags `embed:""`
}

// Run serves the scenario routes on the framework until a signal comes.
func (c *frameworkCommand) Run(p *process) error {
	if c.NoDB {
		return c.serve(p, nil)
	}
	return c.with(p, func(uri string) error {
		db, err := store.Open(p.stop, store.Config{URI: uri, Database: c.Database})
		if err != nil {
			return err
		}
		defer db.Close(context.Background())
		return c.serve(p, db)
	})
}

func (c *frameworkCommand) serve(p *process, db *store.Store) error {
	s, err := scenario.New(scenario.Config{
		Store:     db,
		BatchSize: int(c.BatchSize),
		Linger:    c.Linger,
		Inflight:  int(c.Inflight),
		Logger:    p.log,
	})
	if err != nil {
		return err
	}
	return c.run(p, router.LazyDeadlines, s.HTTP(), s.Close)
}
