package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/cmd/internal/server"
	"github.com/rapidrest/rapidrest/router"
)

type serveCommand struct {
	Listen        address `help:"Address to listen on, host:port; port 0 takes a free one." default:"127.0.0.1:8080"`
	databaseFlags `embed:""`
	Collections   []string `help:"Collections that are served, separated by commas; a name may end in *. MongoDB's own system collections never are." default:"*" placeholder:"NAME,…"`
	Reply         string   `help:"When a POST is answered: store (201, MongoDB has it) or accept (202, it is in memory). A request may say otherwise with Prefer." enum:"store,accept" default:"store"`

	BatchSize    count         `help:"Documents in a full batch." default:"100"`
	BatchBytes   size          `help:"Bytes in a full batch." default:"8MiB"`
	Linger       time.Duration `help:"How long the first document of a batch waits for others, where no client waits for its outcome; a duration such as 5ms." default:"5ms"`
	Inflight     count         `help:"Batches under way at a time, per collection." default:"2"`
	Pending      count         `help:"Documents in memory, per collection; what exceeds them is refused with 503." default:"100000"`
	PendingBytes size          `help:"Bytes of documents in memory, per collection; what exceeds them is refused with 503." default:"128MiB"`
	DeadLetter   string        `help:"File (NDJSON) for documents that the database rejected after they were answered 202. Empty: dead-letter.ndjson under --data." type:"path" placeholder:"FILE"`

	MaxBody size `help:"Bytes in a request's body; more are refused with 413." default:"16MiB"`
}

// Validate refuses what the flag types let through.
func (c *serveCommand) Validate() error {
	switch {
	case c.Linger <= 0:
		return fmt.Errorf("--linger must be above 0, not %v", c.Linger)
	case c.BatchSize > batch.MaxSize:
		return fmt.Errorf("--batch-size must be at most %d, not %d", batch.MaxSize, c.BatchSize)
	case c.BatchBytes > batch.MaxBytes:
		return fmt.Errorf("--batch-bytes must be at most %d, not %d", batch.MaxBytes, c.BatchBytes)
	}
	return c.databaseFlags.Validate()
}

// Run serves until a signal comes, then drains.
func (c *serveCommand) Run(p *process) error {
	if c.DeadLetter == "" {
		c.DeadLetter = filepath.Join(c.Data, "dead-letter.ndjson")
	}
	if err := os.MkdirAll(filepath.Dir(c.DeadLetter), 0o700); err != nil {
		return fmt.Errorf("dead letter: %w", err)
	}
	return c.with(p, func(uri string) error {
		s, err := server.Open(p.stop, c.config(p, uri))
		if err != nil {
			return err
		}
		err = p.serveHTTP(c.Listen, s.HTTP())
		ctx, cancel := context.WithTimeout(p.kill, drainTimeout)
		defer cancel()
		left, closeErr := s.Close(ctx)
		return errors.Join(err, p.report(left), closeErr)
	})
}

func (c *serveCommand) config(p *process, uri string) server.Config {
	return server.Config{
		MongoURI:    uri,
		Database:    c.Database,
		Collections: c.Collections,
		Reply:       levels[c.Reply],
		Batch: batch.Config{
			Size:         int(c.BatchSize),
			Bytes:        int(c.BatchBytes),
			Linger:       c.Linger,
			Inflight:     int(c.Inflight),
			Pending:      int(c.Pending),
			PendingBytes: int64(c.PendingBytes),
		},
		DeadLetter: c.DeadLetter,
		HTTP:       router.Limits{MaxBody: int(c.MaxBody)},
		Logger:     p.log,
	}
}

// levels are the values of --reply.
var levels = map[string]batch.Level{"accept": batch.Accept, "store": batch.Store}

// drainTimeout bounds what follows a signal: delivering what the buffers hold.
const drainTimeout = 30 * time.Second

// report says what could not be delivered before the end, and fails where documents were lost.
func (p *process) report(left server.Left) error {
	for _, part := range []struct {
		n    int
		says string
	}{
		{left.Spooled, "documents are in the spool; the next start delivers them"},
		{left.DeadLettered, "documents are in the dead letter"},
		{left.Told, "documents were not stored; their clients were told"},
	} {
		if part.n > 0 {
			p.log.Warn(part.says, "documents", part.n)
		}
	}
	if left.Lost > 0 {
		return fmt.Errorf("%w: %d of them", errLost, left.Lost)
	}
	return nil
}
