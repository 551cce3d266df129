package main

import (
	"fmt"

	"github.com/rapidrest/rapidrest/cmd/internal/embedded"
)

type mongoCommand struct {
	Listen address `help:"Address to listen on, host:port; port 0 takes a free one." default:"127.0.0.1:27017"`
	Data   string  `help:"Directory of the database's files; created if missing." default:"./rapidrest-data" type:"path"`
}

// Run serves the database until a signal comes. The first line on standard output is its URI.
func (c *mongoCommand) Run(p *process) error {
	db, err := embedded.Start(p.stop, embedded.Config{Listen: string(c.Listen), Dir: c.Data})
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, db.URI())
	return db.Wait()
}
