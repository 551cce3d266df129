package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rapidrest/rapidrest/cmd/internal/bench"
)

type benchCommand struct {
	Measure benchMeasure `cmd:"" default:"1" help:"Measure with the flags above; what bench does unless told otherwise."`
	Compare benchCompare `cmd:"" help:"Compare two reports that --json or --report wrote."`
	Check   benchCheck   `cmd:"" help:"See how often bench finds a slowdown that was planted, and one that is not there."`

	MongoURI    string        `name:"mongo-uri" help:"The database, mongodb://…; without it the embedded one, as a process of its own." env:"RAPIDREST_MONGO_URI"`
	Scenarios   []string      `help:"Which to measure; without it timestamp, survey, single and batched, or for check survey. There are also hello, doc-write, doc-read, upsert, decay, and the groups documents and all."`
	Requests    count         `help:"Requests in a run." default:"30000"`
	Runs        count         `help:"Runs of each subject in each scenario." default:"10"`
	Quick       bool          `help:"Three runs: a look, without intervals."`
	Warmup      int64         `help:"Requests that each subject gets before its runs." default:"2000"`
	Connections count         `help:"Connections of the client." default:"16"`
	Pipeline    int           `help:"Requests on their way on each connection; 0 is 8, or 1 with --lineup, since few peers know more." default:"0"`
	BatchSize   count         `help:"Documents in a batch." default:"10"`
	Budget      time.Duration `help:"How long all runs may take together; runs of slow scenarios are shortened to that." default:"4m"`
	Lineup      bool          `help:"Measure the peers in --lineup-dir too: other routers and servers that do the same work."`
	LineupDir   string        `help:"Where the line-up is: the folder lineup of a checkout." type:"path" default:"lineup"`
	Peers       []string      `help:"Which peers; without it all that are installed."`
	Report      string        `help:"Write report.html with charts, the charts as SVG and PNG, and all runs into this directory." type:"path" placeholder:"DIR"`
	JSON        string        `name:"json" help:"Write the report, with every run, to this file." type:"path" placeholder:"FILE" env:"-"`
}

// writable fails if the reports cannot be written: that must not be found out after minutes of
// measuring.
func (c *benchCommand) writable() error {
	if c.Report != "" {
		if err := os.MkdirAll(c.Report, 0o777); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
		probe, err := os.CreateTemp(c.Report, ".probe")
		if err != nil {
			return fmt.Errorf("--report: %w", err)
		}
		if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
	}
	return writableFile("--json", c.JSON)
}

// writableFile fails if the file that a flag names cannot be written. What it holds stays; a file that
// was not there is not there afterwards.
func writableFile(flag, file string) error {
	if file == "" {
		return nil
	}
	_, statErr := os.Stat(file)
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	err = f.Close()
	if errors.Is(statErr, fs.ErrNotExist) {
		err = errors.Join(err, os.Remove(file))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

// config is what the flags say; show is told how far it is.
func (c *benchCommand) config(show func(step string, left time.Duration)) (bench.Config, error) {
	binary, err := os.Executable()
	if c.Quick {
		c.Runs = 3
	}
	if c.Lineup && c.Pipeline == 0 {
		c.Pipeline = 1
	}
	return bench.Config{
		Binary: binary, MongoURI: c.MongoURI, Scenarios: c.Scenarios,
		Requests: int64(c.Requests), Runs: int(c.Runs), Warmup: c.Warmup,
		Connections: int(c.Connections), Pipeline: c.Pipeline, BatchSize: int(c.BatchSize), Budget: c.Budget,
		Progress: show,
	}, err
}

// lineup returns our subjects and the peers that were asked for, and names those that are missing.
func (c *benchCommand) lineup(p *process) ([]bench.Subject, error) {
	wanted := func(name string) bool { return len(c.Peers) == 0 || slices.Contains(c.Peers, name) }
	subjects := bench.Ours()
	var known []string
	peers, missing := bench.Lineup(c.LineupDir)
	for _, peer := range peers {
		known = append(known, peer.Name)
		if wanted(peer.Name) {
			subjects = append(subjects, peer)
		}
	}
	for _, m := range missing {
		known = append(known, m.Name)
		if wanted(m.Name) {
			fmt.Fprintf(p.stdout, "%s is missing: cd %s && %s\n", m.Name, c.LineupDir, m.Install)
		}
	}
	slices.Sort(known)
	for _, name := range c.Peers {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("--peers: %q is none of %s", name, strings.Join(known, ", "))
		}
	}
	if len(subjects) == len(bench.Ours()) {
		return nil, fmt.Errorf("no peer of the line-up is there")
	}
	return subjects, nil
}

// findings are what a bench, or a check of it, found.
type findings interface {
	WriteTable(io.Writer) error
	WriteDir(string) error
}

// write prints the table, and writes the files that the flags name.
func (c *benchCommand) write(stdout io.Writer, f findings) error {
	err := f.WriteTable(stdout)
	if c.JSON != "" {
		err = errors.Join(err, writeJSON(c.JSON, f))
	}
	if c.Report != "" {
		err = errors.Join(err, f.WriteDir(c.Report))
	}
	return err
}

type benchMeasure struct{}

// Run measures baseline and framework, and prints the table; after a signal, of what is
// known by then.
func (benchMeasure) Run(p *process, c *benchCommand) error {
	if err := c.writable(); err != nil {
		return err
	}
	show, clear := stepLine()
	config, err := c.config(show)
	if err != nil {
		return err
	}
	if c.Lineup {
		if config.Subjects, err = c.lineup(p); err != nil {
			return err
		}
	}
	report, err := bench.Measure(p.stop, config)
	clear()
	if report == nil {
		return err
	}
	return errors.Join(err, c.write(p.stdout, report))
}

type benchCheck struct {
	Tries   int     `help:"Benches to run, each with new processes." default:"20"`
	Percent float64 `help:"Slowdown to plant, in percent of a request's CPU time." default:"5"`
}

// Run tries the bench itself out on one scenario, survey unless others are named.
func (c *benchCheck) Run(p *process, b *benchCommand) error {
	if err := b.writable(); err != nil {
		return err
	}
	if len(b.Scenarios) == 0 {
		b.Scenarios = []string{"survey"}
	}
	show, clear := stepLine()
	config, err := b.config(show)
	if err != nil {
		return err
	}
	check, err := bench.TryOut(p.stop, config, c.Tries, c.Percent)
	clear()
	if check == nil {
		return err
	}
	return errors.Join(err, b.write(p.stdout, check))
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
