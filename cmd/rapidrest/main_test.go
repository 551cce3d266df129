package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// runMain in the environment makes the test binary be the command, so that the tests start real
// processes without building another binary.
const runMain = "RAPIDREST_TEST_RUN_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(runMain) != "" {
		main()
	}
	os.Exit(m.Run())
}

// patience bounds every wait for another process, far above what it takes.
const patience = 3 * time.Minute

// command is a running process of ours.
type command struct {
	t      *testing.T
	cmd    *exec.Cmd
	lines  chan string // of standard output
	stderr lockedBuffer
	gone   chan struct{}
}

// start runs the command and kills it at the end of the test, if it still runs.
func start(t *testing.T, args ...string) *command {
	t.Helper()
	return startBinary(t, os.Args[0], args...)
}

// startBinary is start for another binary: one without the race detector, under which the
// embedded database does not run.
func startBinary(t *testing.T, binary string, args ...string) *command {
	t.Helper()
	c := &command{t: t, cmd: exec.Command(binary, args...), lines: make(chan string, 100), gone: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), runMain+"=1", "RAPIDREST_ADMIN=") // several servers run at a time
	c.cmd.Dir = t.TempDir()
	c.cmd.Stderr = &c.stderr
	stdout, w := io.Pipe()
	c.cmd.Stdout = w
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for s := bufio.NewScanner(stdout); s.Scan(); {
			c.lines <- s.Text()
		}
		close(c.lines)
	}()
	go func() {
		c.cmd.Wait()
		w.Close()
		close(c.gone)
	}()
	t.Cleanup(func() {
		c.cmd.Process.Kill()
		<-c.gone
		if t.Failed() {
			t.Logf("%q said: %s", args, c.stderr.String())
		}
	})
	return c
}

// line waits for the line that begins with prefix and returns the rest of it.
func (c *command) line(prefix string) string {
	c.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case line, ok := <-c.lines:
			if rest, found := strings.CutPrefix(line, prefix); found {
				return rest
			}
			if !ok {
				c.t.Fatalf("no line %q on standard output; stderr: %s", prefix, c.stderr.String())
			}
		case <-timeout:
			c.t.Fatalf("no line %q on standard output", prefix)
		}
	}
}

func (c *command) url() string {
	c.t.Helper()
	return c.line("listening on ")
}

// terminate sends SIGTERM and returns the exit code.
func (c *command) terminate() int {
	c.t.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		c.t.Fatal(err)
	}
	return c.exit()
}

// exit waits for the end of the process and returns its exit code.
func (c *command) exit() int {
	c.t.Helper()
	select {
	case <-c.gone:
	case <-time.After(patience):
		c.t.Fatal("the process does not end")
	}
	return c.cmd.ProcessState.ExitCode()
}

// lockedBuffer takes what a process says while a test may read it.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// answer is what a test compares of a response.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends one request over a real socket.
func send(t *testing.T, method, url, body string, headers ...string) answer {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(text)}
}
