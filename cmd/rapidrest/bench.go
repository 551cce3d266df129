package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/rapidrest/rapidrest/cmd/internal/bench"
)

type benchCommand struct {
	Measure benchMeasure `cmd:"" default:"1" help:"Measure with the flags above; what bench does unless told otherwise."`
	Compare benchCompare `cmd:"" help:"Compare two reports that --json wrote."`

	MongoURI    string        `name:"mongo-uri" help:"The database, mongodb://…; without it the embedded one, as a process of its own." env:"RAPIDREST_MONGO_URI"`
	Scenarios   []string      `help:"Which to measure; without it timestamp, survey, single and batched. There are also hello, doc-write, doc-read, upsert, decay, and the groups documents and all."`
	Requests    int64         `help:"Requests in a run." default:"30000"`
	Runs        int           `help:"Runs of each subject in each scenario." default:"10"`
	Quick       bool          `help:"Three runs: a look, without intervals."`
	Warmup      int64         `help:"Requests that each subject gets before its runs." default:"2000"`
	Connections int           `help:"Connections of the client." default:"16"`
	Pipeline    int           `help:"Requests on their way on each connection." default:"8"`
	BatchSize   count         `help:"Documents in a batch." default:"10"`
	Budget      time.Duration `help:"How long all runs may take together; runs of slow scenarios are shortened to that." default:"4m"`
	Report      string        `help:"Write report.html with charts, the charts as SVG and PNG, and all runs into this directory." type:"path" placeholder:"DIR"`
	JSON        string        `name:"json" help:"Write the report, with every run, to this file." type:"path" placeholder:"FILE" env:"RAPIDREST_JSON"`
}

type benchMeasure struct{}

// Run measures baseline and framework, and prints the table; after a signal, of what is
// known by then.
func (benchMeasure) Run(p *process, c *benchCommand) error {
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	if c.Quick {
		c.Runs = 3
	}
	show, clear := stepLine()
	report, err := bench.Measure(p.stop, bench.Config{
		Binary: binary, MongoURI: c.MongoURI, Scenarios: c.Scenarios,
		Requests: c.Requests, Runs: c.Runs, Warmup: c.Warmup,
		Connections: c.Connections, Pipeline: c.Pipeline, BatchSize: int(c.BatchSize), Budget: c.Budget,
		Progress: show,
	})
	clear()
	if report == nil {
		return err
	}
	err = errors.Join(err, report.WriteTable(p.stdout))
	if c.JSON != "" {
		err = errors.Join(err, writeJSON(c.JSON, report))
	}
	if c.Report != "" {
		err = errors.Join(err, report.WriteDir(c.Report))
	}
	return err
}

type benchCompare struct {
	First  string `arg:"" help:"The earlier report." type:"existingfile" placeholder:"A.json"`
	Second string `arg:"" help:"The later report." type:"existingfile" placeholder:"B.json"`
}

// Run prints how the second report differs from the first.
func (c *benchCompare) Run(p *process) error {
	first, err := bench.ReadReport(c.First)
	if err != nil {
		return err
	}
	second, err := bench.ReadReport(c.Second)
	if err != nil {
		return err
	}
	return bench.WriteComparison(p.stdout, first, second)
}

// stepLine shows on a terminal, in one line that overwrites itself, what a long command is at;
// elsewhere it is silent.
func stepLine() (show func(step string, left time.Duration), clear func()) {
	const wipe = "\r\x1b[K"
	if !isTerminal(os.Stderr) {
		return func(string, time.Duration) {}, func() {}
	}
	show = func(step string, left time.Duration) {
		if left > 0 {
			step = fmt.Sprintf("%s (about %v left)", step, left)
		}
		fmt.Fprint(os.Stderr, wipe+step)
	}
	return show, func() { fmt.Fprint(os.Stderr, wipe) }
}
