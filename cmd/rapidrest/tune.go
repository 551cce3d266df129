package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/rapidrest/rapidrest/cmd/internal/embedded"
	"github.com/rapidrest/rapidrest/cmd/internal/tune"
)

type tuneCommand struct {
	MongoURI string          `help:"The database to tune for; without it an embedded one, as serve has it, in a fresh directory." placeholder:"mongodb://…"`
	Sizes    []count         `help:"Batch sizes to try, such as 1,10,100; without it 1 to 1000." placeholder:"N"`
	Inflight []count         `help:"Numbers of batches under way to try." default:"1,2,4,8"`
	Linger   []time.Duration `help:"Times to try that the first document of a batch waits for others." default:"0s,1ms,5ms,20ms"`
	Runs     count           `help:"Runs of each setting." default:"8"`
	RunTime  time.Duration   `help:"Time that a run should take." default:"700ms"`
	JSON     string          `name:"json" help:"Write all that was measured to this file." type:"path" placeholder:"FILE" env:"-"`
}

// Run sweeps and prints the curves and what to use; after a signal, what is known by then.
func (c *tuneCommand) Run(p *process) error {
	if err := writableFile("--json", c.JSON); err != nil {
		return err
	}
	if c.MongoURI != "" {
		return c.tune(p, c.MongoURI)
	}
	dir, err := os.MkdirTemp("", "rapidrest-tune")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := embedded.Start(context.Background(), embedded.Config{Listen: "127.0.0.1:0", Dir: dir})
	if err != nil {
		return err
	}
	return errors.Join(c.tune(p, db.URI()), db.Close())
}

func (c *tuneCommand) tune(p *process, uri string) error {
	show, clear := stepLine()
	report, err := tune.Run(p.stop, tune.Config{
		URI: uri, Sizes: ints(c.Sizes), Inflight: ints(c.Inflight), Linger: c.Linger,
		Runs: int(c.Runs), RunTime: c.RunTime, Progress: show,
	})
	clear()
	if report == nil {
		return err
	}
	err = errors.Join(err, report.WriteText(p.stdout))
	if c.JSON == "" {
		return err
	}
	return errors.Join(err, writeJSON(c.JSON, report))
}

func ints(counts []count) []int {
	out := make([]int, len(counts))
	for i, n := range counts {
		out[i] = int(n)
	}
	return out
}

// writeJSON writes v to a file, for people and programs.
func writeJSON(file string, v any) error {
	text, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o666)
}
