package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

// Config says where the database listens and where it keeps its files.
type Config struct {
	// Listen is the TCP address, as "host:port". Empty: "127.0.0.1:27017",
	// MongoDB's own port on this machine only. Port 0 takes a free one.
	Listen string

	// Dir is the directory of the SQLite files, one a database. It is created
	// when missing. Required. SQLite reads the path as a URI, so that it may not
	// hold any of the three characters ? # %.
	Dir string

	// PostgreSQL, when set, is the connection string of a PostgreSQL database that the
	// documents are kept in instead of files, as "postgres://user@host:5432/name". Dir
	// is then not used.
	PostgreSQL string

	// Logger hears of connections (Info), commands (Debug) and faults. Nil: nobody
	// does.
	Logger *slog.Logger
}

// DB is a running database. Its methods are safe for concurrent use.
type DB struct {
	uri    string
	cancel context.CancelFunc
	done   chan struct{} // closed once everything is let go

	err error // what letting go met; read it after done
}

// Start opens the directory, listens, and returns once clients can connect. The
// database then runs until Close is called or ctx ends, whichever comes first.
//
// Errors are one line each: the directory cannot be made or is in use by another
// process (ErrLocked), the address is not free, the files are damaged.
func Start(ctx context.Context, cfg Config) (*DB, error) {
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:27017"
	}
	logger := cfg.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	kept, lock, err := cfg.backend()
	if err != nil {
		return nil, err
	}
	if err := free(cfg.Listen); err != nil {
		lock.Close()
		return nil, err
	}
	kept.Listener.TCP, kept.Logger = cfg.Listen, logger
	ferret, err := ferretdb.New(kept)
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("embedded: open %q: %w", cfg.Dir, err)
	}

	ctx, cancel := context.WithCancel(ctx)
	db := &DB{uri: ferret.MongoDBURI(), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(db.done)
		db.err = errors.Join(ferret.Run(ctx), lock.Close())
		cancel()
	}()
	return db, nil
}

// backend says where FerretDB keeps the documents, and holds the lock on it. A
// PostgreSQL may be shared and is not locked.
func (c *Config) backend() (*ferretdb.Config, io.Closer, error) {
	if c.PostgreSQL != "" {
		return &ferretdb.Config{Handler: "postgresql", PostgreSQLURL: c.PostgreSQL}, io.NopCloser(nil), nil
	}
	lock, dir, err := openDir(c.Dir)
	if err != nil {
		return nil, nil, err
	}
	if err := removeUnmade(dir); err != nil {
		lock.Close()
		return nil, nil, err
	}
	return &ferretdb.Config{Handler: "sqlite", SQLiteURL: "file:" + dir + "/"}, lock, nil
}

// URI is the connection string of the database, such as
// "mongodb://127.0.0.1:27017/", with the port that was really taken.
func (db *DB) URI() string { return db.uri }

// Addr is the host and port of URI, such as "127.0.0.1:27017".
func (db *DB) Addr() string {
	u, err := url.Parse(db.uri)
	if err != nil {
		return ""
	}
	return u.Host
}

// Wait returns when the database has stopped and everything is closed.
func (db *DB) Wait() error {
	<-db.done
	return db.err
}

// Close stops the database and waits until its files are closed and its
// directory is unlocked. Connections that are still open are given three seconds.
func (db *DB) Close() error {
	db.cancel()
	return db.Wait()
}

// openDir makes the directory, locks it and returns its absolute path.
func openDir(dir string) (*dirLock, string, error) {
	if dir == "" {
		return nil, "", errors.New("embedded: no data directory given")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, "", fmt.Errorf("embedded: data directory %q: %w", dir, err)
	}
	if strings.ContainsAny(abs, "?#%") {
		return nil, "", fmt.Errorf("embedded: data directory %q: SQLite takes the path as a URI, it may not hold ?, # or %%", dir)
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return nil, "", fmt.Errorf("embedded: data directory %q: %w", dir, err)
	}
	lock, err := lockDir(abs)
	if err != nil {
		return nil, "", fmt.Errorf("embedded: data directory %q: %w", dir, err)
	}
	return lock, abs, nil
}

// free finds out whether the address can be listened on. FerretDB would tell us
// too, but only after it has opened every database of the directory, and as a
// text with its own source lines in it. Between this look and FerretDB's own
// Listen the port may be lost to somebody else; then its text is what we return.
func free(addr string) error {
	l, err := net.Listen("tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("embedded: listen %q: %w", addr, syscall.EADDRINUSE)
	case err != nil:
		return fmt.Errorf("embedded: listen %q: %w", addr, err)
	}
	return l.Close()
}
