package mongotest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rapidrest/rapidrest/cmd/internal/child"
)

// scheme is how a database's URI begins, which is the first line it prints.
const scheme = "mongodb://"

// Proc is the embedded database as a process of its own. Its methods are for one
// goroutine at a time.
type Proc struct {
	t    testing.TB
	dir  string
	addr string
	p    *child.Process // nil while it does not run
}

// Process starts the database over the files in dir and kills it when t ends.
func Process(t testing.TB, dir string) *Proc {
	t.Helper()
	p := &Proc{t: t, dir: dir, addr: "127.0.0.1:0"}
	p.Start()
	t.Cleanup(p.Kill)
	return p
}

// URI is the connection string. It stays the same over Kill and Start.
func (p *Proc) URI() string { return scheme + p.addr + "/" }

// Addr is the host and port of URI.
func (p *Proc) Addr() string { return p.addr }

// PID is the number of the process; only while it runs.
func (p *Proc) PID() int { return p.p.PID() }

// Start starts a killed database again, at the same address and over the same
// files.
func (p *Proc) Start() {
	p.t.Helper()
	if p.p != nil {
		p.t.Fatal("mongotest: the database is running already")
	}
	run, err := launch(Binary(p.t), p.dir, p.addr)
	if err != nil {
		p.t.Fatal(err)
	}
	p.p, p.addr = run, strings.Trim(strings.TrimPrefix(run.Line(), scheme), "/")
}

// Kill ends the database as kill -9 does, and waits until it is gone. Killing
// one that is not running does nothing.
func (p *Proc) Kill() {
	if p.p != nil {
		p.p.Kill()
		p.p = nil
	}
}

// Pause stops the process where it stands (SIGSTOP): its sockets stay open and
// nothing answers.
func (p *Proc) Pause() error { return p.p.Signal(syscall.SIGSTOP) }

// Resume lets a paused process go on.
func (p *Proc) Resume() error { return p.p.Signal(syscall.SIGCONT) }

// launch runs the database as a process of its own.
func launch(binary, dir, listen string) (*child.Process, error) {
	return child.Start(child.Command{Path: binary, Args: []string{"mongo", "--listen", listen, "--data", dir}, Ready: scheme})
}

// Binary returns the path of the rapidrest binary: RAPIDREST_TEST_BINARY, or else
// one built from this checkout without the race detector. Tests of the commands
// themselves run it too.
func Binary(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("RAPIDREST_TEST_BINARY"); path != "" {
		return path
	}
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// built builds the binary, once in a test binary's life.
//
// `go run -exec echo` prints the path that it would have run. The first time that
// is a temporary file, gone by now; afterwards it is the copy that the go command
// keeps in its build cache. So the cost of linking is paid once for all test
// binaries, and nothing is left for us to remove. It takes more rounds where
// somebody edits the sources meanwhile.
var built = sync.OnceValues(func() (string, error) {
	const rounds = 5
	for range rounds {
		var stderr bytes.Buffer
		cmd := exec.Command("go", "run", "-race=false", "-exec", "echo", "github.com/rapidrest/rapidrest/cmd/rapidrest")
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("mongotest: building the rapidrest binary: %w\n%s", err, &stderr)
		}
		path := strings.TrimSpace(string(out))
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", errors.New("mongotest: the go command keeps no built binaries; set RAPIDREST_TEST_BINARY")
})
