package server

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rapidrest/rapidrest/router"
	"github.com/rapidrest/rapidrest/router/middleware"
)

// Tokens are the bearer tokens of a file, which may be read again while requests are served.
//
// The file has one token a line; empty lines and those that begin with # count for nothing.
type Tokens struct {
	path string

	mu     sync.Mutex
	tokens []string
	guards []*guard
}

// guard is one place in front of a handler.
type guard struct {
	next    router.Handler
	current atomic.Pointer[router.Handler] // next behind the tokens in force
}

// ErrNoTokens is what a file without a token is: with it nobody would get in.
var ErrNoTokens = errors.New("server: no token in the file")

// ReadTokens reads the file.
func ReadTokens(path string) (*Tokens, error) {
	t := &Tokens{path: path}
	return t, t.Reload()
}

// Reload reads the file again. With an error the tokens that were in force stay in force.
func (t *Tokens) Reload() error {
	text, err := os.ReadFile(t.path)
	if err != nil {
		return fmt.Errorf("server: tokens: %w", err)
	}
	var tokens []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			tokens = append(tokens, line)
		}
	}
	if len(tokens) == 0 {
		return fmt.Errorf("%w: %q", ErrNoTokens, t.path)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tokens = tokens
	for _, g := range t.guards {
		g.arm(tokens)
	}
	return nil
}

// Middleware lets requests pass that carry one of the tokens; others get 401.
func (t *Tokens) Middleware(next router.Handler) router.Handler {
	g := &guard{next: next}
	t.mu.Lock()
	defer t.mu.Unlock()
	g.arm(t.tokens)
	t.guards = append(t.guards, g)
	return func(c *router.Ctx) error { return (*g.current.Load())(c) }
}

func (g *guard) arm(tokens []string) {
	h := middleware.BearerToken(tokens...)(g.next)
	g.current.Store(&h)
}
