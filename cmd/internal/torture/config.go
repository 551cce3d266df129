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
	Kills       int           // SIGKILLs of the server
	Faults      int           // faults of the database and of the link to it
	Connections int           // clients; 0: 32
	Seed        uint64

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
	case c.Duration < 0 || c.Kills < 0 || c.Faults < 0 || c.Connections < 0:
		return c, errors.New("torture: a negative Duration, Kills, Faults or Connections")
	}
	return c, nil
}
