package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"time"

	"github.com/rapidrest/rapidrest/cmd/internal/torture"
)

type tortureCommand struct {
	Level       string        `help:"Level of \"accepted\" that is tortured: accept, spool or store." enum:"accept,spool,store" default:"store"`
	Duration    time.Duration `help:"How long documents are sent; longer where the kills take longer." default:"30s"`
	Kills       int           `help:"SIGKILLs of the server, at random moments. Level accept survives none." default:"0"`
	Faults      int           `help:"Faults of the database and of the link to it, at random moments: delays, cuts, halves, freezes, refusals, kills of the database." default:"10"`
	Connections count         `help:"Clients that send at the same time." default:"32"`
	Seed        uint64        `help:"Where the randomness comes from; 0 picks a seed." default:"0"`
	Dir         string        `help:"Directory for the database and the spool, empty or missing. Without it a temporary one, removed at the end." type:"path" placeholder:"DIR"`
	Quiet       bool          `help:"Print the report alone, not every kill and fault."`
	Serve       []string      `arg:"" optional:"" passthrough:"" help:"Further flags for the server, after --."`
}

// Validate refuses what cannot be carried out, before anything is begun.
func (c *tortureCommand) Validate() error {
	switch {
	case c.Kills < 0:
		return fmt.Errorf("--kills must be 0 or more, not %d", c.Kills)
	case c.Faults < 0:
		return fmt.Errorf("--faults must be 0 or more, not %d", c.Faults)
	case c.Duration <= 0:
		return fmt.Errorf("--duration must be above 0, not %v", c.Duration)
	case c.Level == "accept" && c.Kills > 0:
		return errors.New("--level accept promises nothing about a killed server: --kills must be 0")
	}
	return c.checkDir()
}

// checkDir refuses a directory that holds something: a run counts what is in its database, and
// would count what an earlier run left.
func (c *tortureCommand) checkDir() error {
	if c.Dir == "" {
		return nil
	}
	entries, err := os.ReadDir(c.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("--dir: %w", err)
	case len(entries) > 0:
		return fmt.Errorf("--dir %s is not empty", c.Dir)
	}
	return nil
}

// errBroken is for documents that are not as they were promised.
var errBroken = errors.New("torture: promises were broken")

// Run tortures a server of this binary and prints the ledger. It fails when a document is lost,
// duplicated or altered.
func (c *tortureCommand) Run(p *process) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	if c.Seed == 0 {
		c.Seed = rand.Uint64N(1_000_000_000)
	}
	if c.Dir == "" {
		if c.Dir, err = os.MkdirTemp("", "rapidrest-torture"); err != nil {
			return err
		}
		defer os.RemoveAll(c.Dir)
	}
	if len(c.Serve) > 0 && c.Serve[0] == "--" {
		c.Serve = c.Serve[1:]
	}
	cfg := torture.Config{
		Binary: binary, Dir: c.Dir, Level: c.Level,
		Duration: c.Duration, Kills: c.Kills, Faults: c.Faults,
		Connections: int(c.Connections), Seed: c.Seed, ServeArgs: c.Serve,
	}
	if !c.Quiet {
		fmt.Fprintf(p.stdout, "seed %d\n", c.Seed)
		cfg.Log = p.stdout
	}
	report, err := torture.Run(p.stop, cfg)
	if report != nil {
		fmt.Fprint(p.stdout, report)
		if err == nil && !report.OK() {
			err = errBroken
		}
	}
	return err
}
