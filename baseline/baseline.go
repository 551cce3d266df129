package baseline

import (
	"context"
	"log/slog"
	"time"

	"github.com/valyala/fasthttp"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Defaults of the zero Config. They are those of the framework's buffer in the same scenario.
const (
	DefaultBatchSize = 100
	DefaultLinger    = 5 * time.Millisecond
	DefaultInflight  = 2
)

// insertTimeout bounds one insert and one read, so that a database that is gone cannot hold a
// request or Close for ever.
const insertTimeout = 10 * time.Second

// Config says where documents go and how they are batched. The zero value stores nothing.
type Config struct {
	// Database takes the documents; it stays the caller's to close. Nil: everything is done
	// but the insert, and GET /documents finds nothing.
	Database *mongo.Database
	// BatchSize is the number of documents in a full batch. 0: DefaultBatchSize.
	BatchSize int
	// Linger is how long the first document of a batch waits for others. 0: DefaultLinger.
	Linger time.Duration
	// Inflight is how many batches may be under way at a time. 0: DefaultInflight.
	Inflight int
	// Logger hears of inserts that failed. Nil: slog.Default.
	Logger *slog.Logger
}

// Server answers the scenario routes. Its methods may be called by any number of goroutines.
type Server struct {
	db     *mongo.Database
	log    *slog.Logger
	buffer *buffer
}

// New returns a server over cfg. It holds no goroutine until documents arrive.
func New(cfg Config) *Server {
	if cfg.BatchSize <= 0 {
		cfg.BatchSize = DefaultBatchSize
	}
	if cfg.Linger <= 0 {
		cfg.Linger = DefaultLinger
	}
	if cfg.Inflight <= 0 {
		cfg.Inflight = DefaultInflight
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	s := &Server{db: cfg.Database, log: cfg.Logger}
	s.buffer = newBuffer(cfg.BatchSize, cfg.Linger, cfg.Inflight, s.insertMany)
	return s
}

// Close sends what the buffer still holds and waits for the inserts under way, or until ctx ends.
// The number returned is of documents that were answered 202 and are not stored, those of
// earlier failed batches included. Call it once the HTTP server has stopped: a batched survey
// that arrives later is answered 503.
func (s *Server) Close(ctx context.Context) (lost int, err error) {
	return s.buffer.close(ctx)
}

// insertMany stores docs in the collection and returns how many the database did not take.
func (s *Server) insertMany(collection string, docs []any) (lost int) {
	if s.db == nil {
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), insertTimeout)
	defer cancel()
	res, err := s.db.Collection(collection).InsertMany(ctx, docs, unordered)
	if err == nil {
		return 0
	}
	lost = len(docs)
	if res != nil {
		lost -= len(res.InsertedIDs)
	}
	s.log.Error("baseline: batch not stored", "collection", collection, "lost", lost, "error", err)
	return lost
}

// Handler answers one request. It is a fasthttp.RequestHandler.
func (s *Server) Handler(ctx *fasthttp.RequestCtx) {
	switch path := ctx.Path(); {
	case ctx.IsGet() && string(path) == "/hello":
		ctx.SetContentType("text/plain; charset=utf-8")
		ctx.SetBodyString("Hello world!")
	case ctx.IsGet() && string(path) == "/timestamp":
		timestamp(ctx)
	case ctx.IsGet() && string(path) == "/documents":
		s.firstDocument(ctx)
	case ctx.IsPost() && string(path) == "/documents":
		s.newDocument(ctx)
	case ctx.IsPost():
		s.survey(ctx, path)
	case ctx.IsPut():
		s.upsert(ctx, path)
	default:
		problem(ctx, fasthttp.StatusNotFound, "nothing is here")
	}
}
