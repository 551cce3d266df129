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
	Documents   int           `help:"Documents that must be answered 2xx before the load ends, however long it takes; kills and faults are spread over them." default:"0"`
	Kills       int           `help:"SIGKILLs of the server, at random moments. Level accept survives none." default:"0"`
	Faults      int           `help:"Faults of the database and of the link to it, at random moments: delays, cuts, halves, freezes, refusals, kills of the database." default:"10"`
	FullDisks   int           `help:"Times that the disk which the spool lies on is full; a small one of its own, for which Linux must let users have namespaces. Level spool only." default:"0"`
	Connections count         `help:"Clients that send at the same time." default:"32"`
	Rate        int           `help:"Documents a second that all clients send together, 0 for as many as they can. What the database can't keep up with is delivered after the load." default:"1000"`
	Patience    time.Duration `help:"How long the server may deliver after the load; the ledger is then closed whatever is left." default:"10m"`
	Seed        uint64        `help:"Where the randomness comes from; 0 picks a seed." default:"0"`
	Dir         string        `help:"Directory for the database and the spool, empty or missing. Without it a temporary one, removed at the end." type:"path" placeholder:"DIR"`
	Quiet       bool          `help:"Print the report alone, not every kill and fault."`
	Serve       []string      `arg:"" optional:"" passthrough:"" help:"Further flags for the server, after --."`
}

// Validate refuses what cannot be carried out, before anything is begun.
func (c *tortureCommand) Validate() error {
	switch {
	case c.Documents < 0:
		return fmt.Errorf("--documents must be 0 or more, not %d", c.Documents)
	case c.Kills < 0:
		return fmt.Errorf("--kills must be 0 or more, not %d", c.Kills)
	case c.Faults < 0:
		return fmt.Errorf("--faults must be 0 or more, not %d", c.Faults)
	case c.FullDisks < 0:
		return fmt.Errorf("--full-disks must be 0 or more, not %d", c.FullDisks)
	case c.Rate < 0:
		return fmt.Errorf("--rate must be 0 or more, not %d", c.Rate)
	case c.Patience <= 0:
		return fmt.Errorf("--patience must be above 0, not %v", c.Patience)
	case c.Duration <= 0:
		return fmt.Errorf("--duration must be above 0, not %v", c.Duration)
	case c.Level == "accept" && c.Kills > 0:
		return errors.New("--level accept promises nothing about a killed server: --kills must be 0")
	}
	if c.Level != "spool" && c.FullDisks > 0 {
		return fmt.Errorf("--level %s writes to no disk: --full-disks must be 0", c.Level)
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
		Duration: c.Duration, Documents: c.Documents, Kills: c.Kills, Faults: c.Faults, FullDisks: c.FullDisks,
		Connections: int(c.Connections), Rate: c.Rate, Patience: c.Patience, Seed: c.Seed, ServeArgs: c.Serve,
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
