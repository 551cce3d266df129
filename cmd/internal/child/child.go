package child

import (
	"bufio"
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

// DefaultTimeout is how long a process may take until it is ready, unless told
// otherwise. A healthy one takes a tenth of a second.
const DefaultTimeout = 30 * time.Second

// Command says what to run.
type Command struct {
	Path  string
	Args  []string
	Dir   string        // working directory; "" is ours
	Env   []string      // environment, "NAME=value" each; nil is ours
	Ready string        // how the line of standard output begins that says "ready"
	Wait  time.Duration // for that line; 0: DefaultTimeout
}

// Process is a running child. Its methods may be called from any goroutine.
type Process struct {
	cmd    *exec.Cmd
	line   string
	stderr tail
	gone   chan struct{}
	err    error // of Wait; read it after gone
}

// Start runs the command and returns once it is ready. If it ends before, or is
// not ready in time, it is killed, and the error holds what it wrote to standard
// error.
func Start(c Command) (*Process, error) {
	if c.Wait == 0 {
		c.Wait = DefaultTimeout
	}
	p := &Process{cmd: exec.Command(c.Path, c.Args...), gone: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = c.Dir, c.Env
	p.cmd.SysProcAttr = attributes()
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second // a grandchild may hold our pipes open
	stdout, w := io.Pipe()
	p.cmd.Stdout = w
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("child: %w", err)
	}
	go func() {
		p.err = p.cmd.Wait()
		w.Close()
		close(p.gone)
	}()

	line := make(chan string, 1)
	go func() {
		r := bufio.NewReader(stdout)
		for {
			s, err := r.ReadString('\n')
			if s = strings.TrimSpace(s); strings.HasPrefix(s, c.Ready) || err != nil {
				line <- s
				break
			}
		}
		io.Copy(io.Discard, r)
	}()
	t := time.NewTimer(c.Wait)
	defer t.Stop()
	select {
	case p.line = <-line:
	case <-t.C:
	}
	if !strings.HasPrefix(p.line, c.Ready) || p.line == "" {
		p.Kill()
		return nil, fmt.Errorf("child: %q was not ready: %w; it said: %s", p.cmd.Args, p.ended(), &p.stderr)
	}
	return p, nil
}

// ended says how the process ended.
func (p *Process) ended() error {
	if p.err != nil {
		return p.err
	}
	return errors.New("exit status 0")
}

// PID is the number of the process, also when it is gone.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Line is the line of standard output that said "ready".
func (p *Process) Line() string { return p.line }

// Stderr is the end of what the process wrote to standard error.
func (p *Process) Stderr() string { return p.stderr.String() }

// Gone is closed when the process has ended.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// Signal sends a signal.
func (p *Process) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Kill ends the process as kill -9 does and waits until it is gone.
func (p *Process) Kill() {
	p.cmd.Process.Kill()
	<-p.gone
}

// Stop asks the process to end (SIGTERM), and kills it if it has not within
// patience. The error is that of its exit status.
func (p *Process) Stop(patience time.Duration) error {
	p.cmd.Process.Signal(syscall.SIGTERM)
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-p.gone:
		return p.err
	case <-t.C:
		p.Kill()
		return fmt.Errorf("child: %q did not end within %v of a SIGTERM", p.cmd.Args, patience)
	}
}

// tailSize is how much of standard error is kept.
const tailSize = 8 << 10

// tail is a writer that keeps the last tailSize bytes.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - tailSize; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
