package scenario

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rapidrest/rapidrest/batch"
	"github.com/rapidrest/rapidrest/document"
	"github.com/rapidrest/rapidrest/router"
	"github.com/rapidrest/rapidrest/store"
)

// storeTimeout bounds one insert and one read, as in the bare server.
const storeTimeout = 10 * time.Second

// Config says where documents go and how they are batched. The zero value stores nothing.
type Config struct {
	// Store takes the documents; it stays the caller's to close. Nil: everything is done but
	// the insert, and GET /documents finds nothing.
	Store *store.Store
	// BatchSize, Linger and Inflight are those of batch.Config, with its defaults.
	BatchSize int
	Linger    time.Duration
	Inflight  int
	// Logger hears of faults. Nil: slog.Default.
	Logger *slog.Logger
}

// Server answers the scenario routes. Its methods may be called by any number of goroutines.
type Server struct {
	cfg     Config
	matcher *router.Matcher
	buffers *batch.Set
	opts    document.Options
	scratch sync.Pool    // *[]byte, for the BSON of one request
	lost    atomic.Int64 // documents answered 202 that ended badly

	surveySlots, upsertSlots, batchedSlots, noDBSlots surveySlots
}

// surveySlots are where a survey route keeps its two parameters.
type surveySlots struct{ survey, user int }

// New compiles the routes over cfg.
func New(cfg Config) (*Server, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	s := &Server{cfg: cfg, scratch: sync.Pool{New: func() any { return new([]byte) }}}
	if cfg.Store != nil {
		s.opts.Limits = cfg.Store.Limits()
	}
	s.buffers = batch.NewSet(s.openBuffer, batch.Limits{})

	table := router.New()
	table.Logger = cfg.Logger
	table.Get("/hello", hello)
	table.Get("/timestamp", router.JSON(timestamp))
	table.Post("/documents", s.newDocument)
	table.Get("/documents", s.firstDocument)
	s.surveySlots = slotsOf(table.Post("/survey/{survey}/{user}", s.survey))
	s.upsertSlots = slotsOf(table.Put("/survey/{survey}/{user}", s.upsert))
	s.batchedSlots = slotsOf(table.Post("/surveybatched/{survey}/{user}", s.surveyBatched))
	s.noDBSlots = slotsOf(table.Post("/surveynodb/{survey}/{user}", s.surveyNoDB))
	matcher, err := table.Compile()
	if err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	s.matcher = matcher
	return s, nil
}

func slotsOf(r *router.Route) surveySlots {
	return surveySlots{survey: r.Slot("survey"), user: r.Slot("user")}
}

// openBuffer makes the write buffer of one collection.
func (s *Server) openBuffer(name string) (batch.Sink, batch.Config, error) {
	cfg := batch.Config{
		Name:     name,
		Size:     s.cfg.BatchSize,
		Linger:   s.cfg.Linger,
		Inflight: s.cfg.Inflight,
		Level:    batch.Accept,
		Logger:   s.cfg.Logger,
		Hooks: batch.Hooks{DeadLetter: func(_ string, docs int, _ bool) {
			s.lost.Add(int64(docs)) // there is no dead letter
		}},
	}
	if s.cfg.Store == nil {
		return nowhere{}, cfg, nil
	}
	return s.cfg.Store.Collection(name), cfg, nil
}

// nowhere is the sink without a database: every document counts as stored.
type nowhere struct{}

func (nowhere) Insert(_ context.Context, docs [][]byte) ([]batch.Outcome, error) {
	outcomes := make([]batch.Outcome, len(docs))
	for i := range outcomes {
		outcomes[i].Kind = batch.Stored
	}
	return outcomes, nil
}

// HTTP returns a server of the routes with the framework's limits.
func (s *Server) HTTP() *fasthttp.Server {
	return router.NewServer(s.matcher, router.Limits{})
}

// Handler answers one request. It is a fasthttp.RequestHandler.
func (s *Server) Handler(ctx *fasthttp.RequestCtx) { s.matcher.Serve(ctx) }

// Close sends what the buffers still hold and waits for it, or until ctx ends. The number
// returned is of documents that were answered 202 and are not stored, those that the database
// rejected earlier included.
func (s *Server) Close(ctx context.Context) (lost int, err error) {
	err = s.buffers.Close(ctx)
	return int(s.lost.Load()), err
}
