package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/batch/spool"
	"github.com/rapidrest/rapidrest/cmd/internal/server"
	"github.com/rapidrest/rapidrest/store"
)

// spoolCommand looks into the log that serve keeps on disk, and delivers it without serve.
type spoolCommand struct {
	Ls     spoolLsCommand     `cmd:"" help:"List the spools and what is in them. Changes nothing."`
	Verify spoolVerifyCommand `cmd:"" help:"Read every record and report all damage. Changes nothing."`
	Replay spoolReplayCommand `cmd:"" help:"Deliver what is in the spools to the database. The server that owns them must be stopped."`
}

type spoolDir struct {
	Dir string `arg:"" help:"Directory of the spools, as serve --spool has it (default ${default})." default:"./rapidrest-data/spool" type:"path"`
}

type spoolLsCommand struct {
	spoolDir `embed:""`
}

// spools returns the directories of the spools. A directory that a server never used as its spool
// is an error: whoever mistypes it must not read that there is nothing to deliver. One that a server
// used has its lock, even when all is delivered.
func (d *spoolDir) spools() ([]string, error) {
	if _, err := os.Stat(d.Dir); err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	dirs, err := spool.Dirs(d.Dir)
	if err != nil || len(dirs) > 0 {
		return dirs, err
	}
	if _, err := os.Stat(filepath.Join(d.Dir, server.LockName)); err != nil {
		return nil, fmt.Errorf("spool: no spool in %q: name the directory that serve --spool has", d.Dir)
	}
	return nil, nil
}

// Run prints a line for each file of each spool.
func (c *spoolLsCommand) Run(p *process) error {
	dirs, err := c.spools()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "COLLECTION\tPENDING\tRECORDS\tBYTES\tBEGUN\tFILE\t")
	pending := 0
	for _, dir := range dirs {
		segments, err := spool.List(dir)
		if err != nil {
			return err
		}
		for _, s := range segments {
			pending += s.Pending
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\t%s\t%s\n",
				s.Name, s.Pending, s.Records, s.Bytes, s.Created.UTC().Format(time.RFC3339), s.Path, condition(s))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%d documents to be delivered\n", pending)
	return nil
}

// condition is what is wrong with a segment in a word or two.
func condition(s spool.Segment) string {
	switch {
	case s.Bytes == 0:
		return "empty"
	case s.Torn:
		return "torn tail"
	case len(s.Damage) > 0:
		return "damaged"
	}
	return ""
}

type spoolVerifyCommand struct {
	spoolDir `embed:""`
}

// Run fails if any spool is damaged, and names all of the damage. A file that a crash cut short is
// no damage, and is named as ls names it.
func (c *spoolVerifyCommand) Run(p *process) error {
	dirs, err := c.spools()
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range dirs {
		if err := spool.Verify(dir); err != nil {
			errs = append(errs, err)
			continue
		}
		segments, err := spool.List(dir)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		whole := true
		for _, s := range segments {
			if says := condition(s); says != "" {
				fmt.Fprintf(p.stdout, "%s: %s\n", s.Path, says)
				whole = false
			}
		}
		if whole {
			fmt.Fprintf(p.stdout, "%s: good\n", dir)
		}
	}
	return errors.Join(errs...)
}

type spoolReplayCommand struct {
	spoolDir   `embed:""`
	MongoURI   string `help:"Connection string of the MongoDB to deliver to." required:"" placeholder:"mongodb://…"`
	Database   string `help:"Name of the database that collections are in." default:"rapidrest"`
	DeadLetter string `help:"File (NDJSON) for documents that the database rejects. Empty: dead-letter.ndjson beside the directory." type:"path" placeholder:"FILE"`
}

// Run delivers every spool and says how each document ended. It stops at the first signal; what was not
// delivered stays in the spool.
func (c *spoolReplayCommand) Run(p *process) error {
	if _, err := c.spools(); err != nil {
		return err // before the lock makes the directory
	}
	lock, err := server.LockSpool(c.Dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	names, err := server.SpoolNames(c.Dir)
	if err != nil {
		return err
	}
	if c.DeadLetter == "" {
		c.DeadLetter = filepath.Join(filepath.Dir(c.Dir), "dead-letter.ndjson")
	}
	dead, err := batch.OpenDeadLetter(c.DeadLetter, 0)
	if err != nil {
		return err
	}
	defer dead.Close()
	db, err := store.Open(p.stop, store.Config{URI: c.MongoURI, Database: c.Database})
	if err != nil {
		return err
	}
	defer db.Close(context.Background())
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if err := replaySpool(p, db.Collection(name), name, names[name], dead); err != nil {
			return err
		}
	}
	return nil
}

// replaySpool delivers the spool of one collection.
func replaySpool(p *process, sink batch.Sink, name, dir string, dead *batch.DeadLetter) error {
	b, err := batch.Open(sink, batch.Config{Name: name, Dir: dir, Level: batch.Spool, DeadLetter: dead, Logger: p.log})
	if err != nil {
		return err
	}
	flushErr := b.Flush(p.stop)
	closeErr := b.Close(p.stop)
	s := b.Stats()
	fmt.Fprintf(p.stdout, "%s: %d stored, %d rejected, %d left\n", name, s.Stored, s.Rejected+s.Failed, s.Left)
	var unstored *batch.Unstored
	if errors.As(flushErr, &unstored) {
		flushErr = nil // they are in the dead letter, and said
	}
	return errors.Join(flushErr, closeErr)
}
