package torture

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/rapidrest/rapidrest/cmd/internal/child"
)

const (
	databaseReady = "mongodb://"
	serverReady   = "listening on http://"

	databaseName = "torture"

	// stopTimeout is what a server may take from SIGTERM to its end: the drain of
	// 30 s and the requests under way.
	stopTimeout = 60 * time.Second
)

// server is one of the two processes: it comes back at the address it first had.
type server struct {
	name  string
	args  func(addr string) []string
	ready string
	path  string
	addr  string
	p     *child.Process
}

func database(cfg *Config) *server {
	return &server{
		name: "database", path: cfg.Binary, ready: databaseReady, addr: "127.0.0.1:0",
		args: func(addr string) []string {
			return []string{"mongo", "--listen", addr, "--data", filepath.Join(cfg.Dir, "database")}
		},
	}
}

// frontend is the server under torture, in front of the database at uri, with its
// spools in a directory.
func frontend(cfg *Config, uri, spool string) *server {
	return &server{
		name: "server", path: cfg.Binary, ready: serverReady, addr: "127.0.0.1:0",
		args: func(addr string) []string {
			return append([]string{
				"serve", "--listen", addr, "--mongo-uri", uri, "--database", databaseName,
				"--reply", cfg.Level, "--data", filepath.Join(cfg.Dir, "serve"), "--spool", spool, "--admin", "",
			}, cfg.ServeArgs...)
		},
	}
}

// start runs the process. A server whose database is away ends with an error, as
// it should; it is started again until ctx ends.
func (s *server) start(ctx context.Context) error {
	var err error
	for first := true; first || ctx.Err() == nil; first = false {
		if s.p, err = child.Start(child.Command{Path: s.path, Args: s.args(s.addr), Ready: s.ready}); err == nil {
			s.addr = strings.Trim(strings.TrimPrefix(s.p.Line(), s.ready), "/")
			return nil
		}
	}
	return fmt.Errorf("torture: start the %s: %w", s.name, errors.Join(err, context.Cause(ctx)))
}

// kill ends it as kill -9 does.
func (s *server) kill() {
	if s.p != nil {
		s.p.Kill()
	}
}

// died says why it is gone when nobody killed it.
func (s *server) died() error {
	select {
	case <-s.p.Gone():
		return fmt.Errorf("torture: the %s ended by itself: %s", s.name, s.p.Stderr())
	default:
		return nil
	}
}
