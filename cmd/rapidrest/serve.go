package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/batch/spool"
	"github.com/rapidrest/rapidrest/cmd/internal/schema"
	"github.com/rapidrest/rapidrest/cmd/internal/server"
	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/resource"
	"github.com/rapidrest/rapidrest/router"
)

type serveCommand struct {
	Listen        address `help:"Address to listen on, host:port; port 0 takes a free one." default:"127.0.0.1:8080"`
	databaseFlags `embed:""`
	Collections   []string `help:"Collections that are served, separated by commas; a name may end in *. MongoDB's own system collections never are." default:"*" placeholder:"NAME,…"`

	Reply        string        `help:"When a POST is answered: spool (202, it is in the log on disk), store (201, MongoDB has it) or accept (202, it is in memory). A request may say otherwise with Prefer." enum:"spool,store,accept" default:"spool"`
	Spool        string        `help:"Directory of the log. Empty: spool under --data." type:"path" placeholder:"DIR"`
	Fsync        spool.Fsync   `help:"When the log is forced to the disk: never (it survives the death of the process), batch (before the answer; it survives power loss) or an interval such as 100ms." default:"never"`
	SpoolBytes   size          `help:"Bytes of the log, per collection; what exceeds them is refused with 503." default:"1GiB"`
	BatchSize    batchSize     `help:"Documents in a full batch; auto finds the number while it runs." default:"100"`
	BatchBytes   size          `help:"Bytes in a full batch." default:"8MiB"`
	Linger       time.Duration `help:"How long the first document of a batch waits for others, where no client waits for its outcome; a duration such as 5ms." default:"5ms"`
	Inflight     count         `help:"Batches under way at a time, per collection." default:"2"`
	Pending      count         `help:"Documents in memory, per collection; what exceeds them is refused with 503." default:"100000"`
	PendingBytes size          `help:"Bytes of documents in memory, per collection; what exceeds them is refused with 503." default:"128MiB"`
	DeadLetter   string        `help:"File (NDJSON) for documents that the database rejected after they were answered 202. Empty: dead-letter.ndjson under --data." type:"path" placeholder:"FILE"`
	DrainTimeout time.Duration `help:"How long after SIGTERM requests under way and documents in memory may take; a duration such as 30s." default:"30s"`

	Schema         []string `help:"JSON Schema that the documents of a collection must fit, as COLLECTION=FILE; may be repeated." sep:"none" placeholder:"COLLECTION=FILE"`
	RequireIfMatch bool     `help:"Refuse PUT, PATCH and DELETE without If-Match (428)."`
	BigNumbers     bool     `help:"Store integers beyond 64 bits as decimal128 instead of refusing them."`
	ExtendedJSON   bool     `name:"extended-json" help:"Read the type wrappers of MongoDB's Extended JSON v2 ($oid, $date, …) instead of refusing them." env:"RAPIDREST_EXTENDED_JSON"`

	serveHTTPFlags  `embed:""`
	serveAdminFlags `embed:""`
}

// Validate refuses what the flag types let through.
func (c *serveCommand) Validate() error {
	switch {
	case c.Linger <= 0:
		return fmt.Errorf("--linger must be above 0, not %v", c.Linger)
	case c.DrainTimeout <= 0:
		return fmt.Errorf("--drain-timeout must be above 0, not %v", c.DrainTimeout)
	case c.BatchBytes > batch.MaxBytes:
		return fmt.Errorf("--batch-bytes must be at most %d, not %d", batch.MaxBytes, c.BatchBytes)
	case !c.Listen.loopback() && c.TokenFile == "" && !c.NoAuth:
		return fmt.Errorf("--listen %s can be reached from other machines: name a --token-file, or say --no-auth", c.Listen)
	}
	return errors.Join(c.checkCollections(), c.databaseFlags.Validate(), c.serveHTTPFlags.Validate())
}

// checkCollections refuses names that no request could have: whoever writes one means something
// else, and would find everything forbidden.
func (c *serveCommand) checkCollections() error {
	if len(c.Collections) == 0 {
		return errors.New("--collections is empty; * stands for every collection")
	}
	for _, name := range c.Collections {
		prefix, open := strings.CutSuffix(name, "*")
		switch {
		case strings.Contains(prefix, "*"):
			return fmt.Errorf("--collections: %q: a * stands at the end of a name only", name)
		case open && (prefix == "" || resource.ValidCollection(prefix+"x")), resource.ValidCollection(name):
		default:
			return fmt.Errorf("--collections: %q is no name for a collection", name)
		}
	}
	return nil
}

// Run serves until a signal comes, then drains.
func (c *serveCommand) Run(p *process) error {
	if err := errors.Join(c.Listen.free("--listen"), address(c.Admin).free("--admin")); err != nil {
		return err
	}
	if c.DeadLetter == "" {
		c.DeadLetter = filepath.Join(c.Data, "dead-letter.ndjson")
	}
	if c.Spool == "" {
		c.Spool = filepath.Join(c.Data, "spool")
	}
	if err := os.MkdirAll(filepath.Dir(c.DeadLetter), 0o700); err != nil {
		return fmt.Errorf("dead letter: %w", err)
	}
	keys, err := c.load(p)
	if err != nil {
		return err
	}
	schemas, err := schema.Load(c.Schema)
	if err != nil {
		return err
	}
	return c.with(p, func(uri string) error {
		cfg := c.config(p, uri)
		cfg.Tokens = keys.tokens
		if len(c.Schema) > 0 {
			cfg.Validate = schemas.Validate
		}
		s, err := server.Open(p.stop, cfg)
		if err != nil {
			return err
		}
		return c.serve(p, s, keys)
	})
}

// serve serves on both ports until a signal comes, then lets the buffers drain. The operators'
// port stays open until the end, so that a drain can be watched.
func (c *serveCommand) serve(p *process, s *server.Server, keys *keys) error {
	admin, err := c.startAdmin(p, s)
	if err != nil {
		_, closeErr := s.Close(p.kill)
		return errors.Join(err, closeErr)
	}
	defer admin.Close()
	srv := s.HTTP()
	srv.TLSConfig = keys.tls()
	rest, cancel, err := p.serveHTTP(c.Listen, router.LazyDeadlines, srv, c.DrainTimeout)
	defer cancel()
	left, closeErr := s.Close(rest)
	return errors.Join(err, p.report(left), closeErr)
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
			Fsync:        c.Fsync,
			SpoolBytes:   int64(c.SpoolBytes),
		},
		SpoolDir:   c.Spool,
		DeadLetter: c.DeadLetter,
		Document:   document.Options{BigNumbers: c.BigNumbers, ExtendedJSON: c.ExtendedJSON},
		HTTP: router.Limits{
			MaxBody:        int(c.MaxBody),
			MaxHeader:      int(c.MaxHeader),
			ReadTimeout:    c.ReadTimeout,
			WriteTimeout:   c.WriteTimeout,
			IdleTimeout:    c.IdleTimeout,
			MaxConnections: int(c.MaxConnections),
		},
		MaxInflated:    int(c.MaxInflated),
		RequireIfMatch: c.RequireIfMatch,
		Logger:         p.log,
	}
}

// levels are the values of --reply.
var levels = map[string]batch.Level{"accept": batch.Accept, "spool": batch.Spool, "store": batch.Store}

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
