package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/batch/spool"
	"github.com/rapidrest/rapidrest/resource"
	"github.com/rapidrest/rapidrest/router"
	"github.com/rapidrest/rapidrest/router/middleware"
	"github.com/rapidrest/rapidrest/store"
)

// Server is everything between the socket and the database. Its methods may be called by any
// number of goroutines.
type Server struct {
	cfg     Config
	log     *slog.Logger
	store   *store.Store
	spool   io.Closer // the lock on Config.SpoolDir; nil without one
	buffers *batch.Set
	dead    *batch.DeadLetter // nil without Config.DeadLetter
	probe   probe
	traffic traffic
	http    *fasthttp.Server
}

// Open connects to the database, puts the server together and begins to deliver what an earlier
// process left in the spool. At level batch.Spool it does so even if the database is down; at the
// others that is an error of one line, within ten seconds.
func Open(ctx context.Context, cfg Config) (*Server, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.Reply == 0 {
		cfg.Reply = batch.Store
		if cfg.SpoolDir != "" {
			cfg.Reply = batch.Spool
		}
	}
	db, err := store.Open(ctx, store.Config{URI: cfg.MongoURI, Database: cfg.Database, Offline: cfg.Reply == batch.Spool})
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, log: cfg.Logger, store: db, probe: probe{ping: db.Ping}}
	if err := s.assemble(); err != nil {
		_, closeErr := s.Close(ctx)
		return nil, errors.Join(err, closeErr)
	}
	return s, nil
}

// assemble builds what stands on the store.
func (s *Server) assemble() (err error) {
	if s.cfg.SpoolDir != "" {
		if s.spool, err = LockSpool(s.cfg.SpoolDir); err != nil {
			return err
		}
	}
	if s.cfg.DeadLetter != "" {
		if s.dead, err = batch.OpenDeadLetter(s.cfg.DeadLetter, deadLetterBytes); err != nil {
			return err
		}
	}
	s.buffers = batch.NewSet(s.openBuffer, batch.Limits{})
	if err := s.route(); err != nil {
		return err
	}
	return s.replay()
}

// route compiles the routes and makes the HTTP server in front of them.
func (s *Server) route() error {
	table := router.New()
	table.Logger = s.log
	table.Use(s.traffic.middleware)
	table.Get("/live", live)
	table.Get("/ready", s.ready)
	if err := resource.Mount(table, "/collections/{collection}", s.resource(), s.middleware()...); err != nil {
		return err
	}
	matcher, err := table.Compile()
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	s.http = router.NewServer(matcher, s.cfg.HTTP)
	s.http.Handler = s.traffic.handler(s.http.Handler)
	return nil
}

// deadLetterBytes is the size at which the dead letter is put aside and begun anew.
const deadLetterBytes = 64 << 20

// openBuffer configures the buffer of one collection.
func (s *Server) openBuffer(collection string) (batch.Sink, batch.Config, error) {
	cfg := s.cfg.Batch
	cfg.Name = collection
	cfg.Level = s.cfg.Reply
	cfg.DeadLetter = s.dead
	cfg.Logger = s.log
	if s.cfg.SpoolDir != "" {
		cfg.Dir = filepath.Join(s.cfg.SpoolDir, spool.DirName(collection))
	}
	return s.store.Collection(collection), cfg, nil
}

func (s *Server) resource() resource.Config {
	cfg := resource.Config{
		Store:          s.store,
		Buffers:        s.buffers,
		Level:          s.cfg.Reply,
		Document:       s.cfg.Document,
		Validate:       s.cfg.Validate,
		RequireIfMatch: s.cfg.RequireIfMatch,
	}
	if len(s.cfg.Collections) > 0 {
		cfg.Allow = resource.AllowOnly(s.cfg.Collections...)
	}
	if s.cfg.SpoolDir != "" {
		cfg.AsyncLevel = batch.Spool
	}
	return cfg
}

// middleware is what stands before the resource, outermost first: who has no token has no claim
// on the work of inflating a body.
func (s *Server) middleware() []router.Middleware {
	inflated := s.cfg.MaxInflated
	if inflated == 0 {
		inflated = 10 * s.cfg.HTTP.MaxBody
	}
	chain := []router.Middleware{middleware.Decompress(inflated)}
	if s.cfg.Tokens != nil {
		chain = append([]router.Middleware{s.cfg.Tokens.Middleware}, chain...)
	}
	return chain
}

// HTTP returns the server to give listeners to.
func (s *Server) HTTP() *fasthttp.Server { return s.http }
