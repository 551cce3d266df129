package torture

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// Config of a run. Binary, Dir and Level are required.
type Config struct {
	Binary string // the rapidrest binary
	Dir    string // for the database, the spool and the dead letter; empty at the start
	Level  string // accept, spool or store

	Duration    time.Duration // of the load; longer where the kills and faults need it. 0: 30 s
	Documents   int           // that must be accepted before the load ends; 0: any number
	Kills       int           // SIGKILLs of the server
	Faults      int           // faults of the database and of the link to it
	FullDisks   int           // times that the spool's disk is full; level spool, and Linux, only
	Connections int           // clients; 0: 32
	Rate        int           // documents a second of all clients together; 0: as many as they can
	Seed        uint64

	// Patience is how long the server may deliver after the load, before the ledger is
	// closed whatever is left. 0: 10 min.
	Patience time.Duration

	// ServeArgs are further arguments for `rapidrest serve`.
	ServeArgs []string

	// Log hears what is done to whom, a line each. Nil: nobody does.
	Log io.Writer
}

func (c Config) withDefaults() (Config, error) {
	if c.Duration == 0 {
		c.Duration = 30 * time.Second
	}
	if c.Connections == 0 {
		c.Connections = 32
	}
	if c.Patience == 0 {
		c.Patience = 10 * time.Minute
	}
	if c.Log == nil {
		c.Log = io.Discard
	}
	switch {
	case c.Binary == "" || c.Dir == "":
		return c, errors.New("torture: Binary and Dir are required")
	case c.Level != "accept" && c.Level != "spool" && c.Level != "store":
		return c, fmt.Errorf("torture: level %q: not accept, spool or store", c.Level)
	case c.Level == "accept" && c.Kills > 0:
		return c, errors.New("torture: level accept promises nothing about a killed server; Kills must be 0")
	case c.Level != "spool" && c.FullDisks > 0:
		return c, fmt.Errorf("torture: level %s writes to no disk; FullDisks must be 0", c.Level)
	case c.Duration < 0 || c.Patience < 0:
		return c, errors.New("torture: a negative Duration or Patience")
	case c.Documents < 0 || c.Kills < 0 || c.Faults < 0 || c.FullDisks < 0 || c.Connections < 0 || c.Rate < 0:
		return c, errors.New("torture: a negative number of Documents, Kills, Faults, FullDisks, Connections or Rate")
	}
	return c, nil
}
