package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	startTimeout = 30 * time.Second // until a child says that it is ready
	stopTimeout  = 40 * time.Second // from SIGTERM to SIGKILL; servers drain for up to 30 s
)

// A process is a child of ours: the database or a subject.
type process struct {
	name   string
	cmd    *exec.Cmd
	stderr tail
	gone   chan struct{} // closed when it has ended
	err    error         // how it ended; to be read after gone
}

// launch starts the binary and waits for the line on its standard output that begins with
// prefix. It returns the rest of that line.
func launch(ctx context.Context, binary, dir string, args []string, prefix string) (*process, string, error) {
	p := &process{name: args[0], cmd: exec.Command(binary, args...), gone: make(chan struct{})}
	p.cmd.Dir = dir
	p.cmd.Env = environment()
	p.cmd.Stderr = &p.stderr
	p.cmd.SysProcAttr = ownGroup()
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, "", fmt.Errorf("bench: %s: %w", p.name, err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, "", fmt.Errorf("bench: %w", err)
	}
	ready := make(chan string, 1)
	go p.watch(stdout, prefix, ready)
	timeout := time.NewTimer(startTimeout)
	defer timeout.Stop()
	select {
	case line := <-ready:
		return p, line, nil
	case <-p.gone:
		err = fmt.Errorf("ended before it was ready: %w: %s", p.err, p.stderr.String())
	case <-timeout.C:
		err = fmt.Errorf("not ready after %v", startTimeout)
	case <-ctx.Done():
		err = ctx.Err()
	}
	p.kill()
	return nil, "", fmt.Errorf("bench: %s: %w", p.name, err)
}

// watch reads standard output to its end, since a child that cannot write stands still, and
// then waits for the child.
func (p *process) watch(stdout io.Reader, prefix string, ready chan<- string) {
	lines := bufio.NewScanner(stdout)
	for found := false; lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), prefix); ok && !found {
			found = true
			ready <- rest
		}
	}
	io.Copy(io.Discard, stdout)
	p.err = p.cmd.Wait()
	if p.err == nil {
		p.err = errors.New("exit status 0")
	}
	close(p.gone)
}

// environment is ours without the variables that stand for flags: a RAPIDREST_BATCH_SIZE of
// the user must not change one subject behind our back.
func environment() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "RAPIDREST_") || strings.HasPrefix(v, "RAPIDREST_TEST_") {
			env = append(env, v)
		}
	}
	return env
}

// stop ends the child in an orderly way, or by force if that takes too long.
func (p *process) stop() error {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.gone:
	case <-time.After(stopTimeout):
		p.kill()
		return fmt.Errorf("bench: %s did not end %v after SIGTERM", p.name, stopTimeout)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("bench: %s: %w: %s", p.name, p.err, p.stderr.String())
	}
	return nil
}

func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.gone
}

// A tail keeps the end of what a child says on standard error.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 2000

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if extra := len(t.buf) - tailSize; extra > 0 {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.buf))
}
