package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"github.com/rapidrest/rapidrest/document"
)

const (
	// SelectionTimeout is how long an operation waits for a server that takes
	// writes, unless the URI says otherwise with serverSelectionTimeoutMS. The
	// driver's own 30 s would keep a start, or a batch, waiting for too long to be
	// told from a hang; a replica set that elects a new primary is waited for by
	// trying again.
	SelectionTimeout = 5 * time.Second

	// openTimeout bounds Open as a whole: an address that swallows packets fails
	// neither selection nor connection before their sum.
	openTimeout = 9 * time.Second

	// defaultPoolSize is the driver's own default for maxPoolSize.
	defaultPoolSize = 100
)

// Config says which database the documents go to.
type Config struct {
	// URI is a MongoDB connection string, mongodb:// or mongodb+srv://. Write
	// concern, retryable writes, pool sizes, TLS and credentials are taken from it.
	// w=0 is refused: an unacknowledged write has no outcome.
	URI string

	// Database is the name of the database. Required.
	Database string

	// Offline lets Open succeed when no server answers. Until one does, Limits are
	// the strictest there are. For buffers that spool to disk meanwhile.
	Offline bool
}

// Store is a database. It is safe for concurrent use.
type Store struct {
	db     *mongo.Database
	owned  bool
	sender sender
	limits atomic.Pointer[document.Limits] // nil until a server has been asked
}

// Open connects to the database and asks the server what it is. It takes at most
// ten seconds; without an answer the error names the hosts and what went wrong in
// one line, and never the credentials of the URI.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	opts := options.Client().ApplyURI(cfg.URI)
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("store: connection string: %w", err)
	}
	if cfg.Database == "" {
		return nil, errors.New("store: no database named")
	}
	if !opts.WriteConcern.Acknowledged() {
		return nil, errors.New("store: w=0 in the connection string: an unacknowledged write has no outcome")
	}
	if opts.ServerSelectionTimeout == nil {
		opts.SetServerSelectionTimeout(SelectionTimeout)
	}
	if opts.MaxPoolSize == nil {
		opts.SetMaxPoolSize(defaultPoolSize)
	}
	link, client, err := connect(opts)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	s := &Store{db: client.Database(cfg.Database), owned: true, sender: link}

	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	if err := s.learn(ctx); err != nil && !cfg.Offline {
		client.Disconnect(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("store: no server answers at %s: %w", strings.Join(opts.Hosts, ", "), cause(err))
	}
	return s, nil
}

// Use makes a Store of a database that the caller has connected to. It inserts by
// a prebuilt command, which costs about twice the CPU of the path that Open has.
// A driver's database does not tell its write concern, so it is named here; nil is
// the server's default. Close leaves the client connected.
func Use(ctx context.Context, db *mongo.Database, wc *writeconcern.WriteConcern) (*Store, error) {
	if !wc.Acknowledged() {
		return nil, errors.New("store: write concern w=0: an unacknowledged write has no outcome")
	}
	cmd, err := newCommander(db, wc)
	if err != nil {
		return nil, fmt.Errorf("store: write concern: %w", err)
	}
	s := &Store{db: db, sender: cmd}
	if err := s.learn(ctx); err != nil {
		return nil, fmt.Errorf("store: ask the server what it is: %w", cause(err))
	}
	return s, nil
}

// Database returns the driver's view of the database, for reads and for whatever
// else is not an insert. It shares the Store's connections.
func (s *Store) Database() *mongo.Database { return s.db }

// Ping returns nil if a server that takes writes answers.
func (s *Store) Ping(ctx context.Context) error {
	if s.limits.Load() == nil {
		if err := s.learn(ctx); err != nil {
			return fmt.Errorf("store: ping: %w", cause(err))
		}
		return nil
	}
	if err := s.db.Client().Ping(ctx, readpref.Primary()); err != nil {
		return fmt.Errorf("store: ping: %w", cause(err))
	}
	return nil
}

// Close disconnects. Inserts under way fail as Ambiguous.
func (s *Store) Close(ctx context.Context) error {
	if !s.owned {
		return nil
	}
	if err := s.db.Client().Disconnect(ctx); err != nil {
		return fmt.Errorf("store: close: %w", err)
	}
	return nil
}

// cause digs the reason out of the driver's "server selection error", whose text
// describes the whole topology around it.
func cause(err error) error {
	var sel topology.ServerSelectionError
	if errors.As(err, &sel) {
		for _, server := range sel.Desc.Servers {
			if server.LastError != nil {
				return server.LastError
			}
		}
	}
	return err
}
