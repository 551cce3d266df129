package integration

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rapidrest/rapidrest/cmd/internal/child"
	"github.com/rapidrest/rapidrest/cmd/internal/mongotest"
)

// frontend is `rapidrest serve` as a process of its own.
type frontend struct {
	*child.Process
	url   string // of its collections
	admin string
}

const listening = "listening on "

// startServer starts a server in front of the database at uri and kills it when t ends. It keeps
// its files in dir.
func startServer(t testing.TB, uri, dir string, args ...string) *frontend {
	t.Helper()
	return startServerIn(t, nil, uri, dir, args...)
}

// startServerIn gives the server more of an environment.
func startServerIn(t testing.TB, env []string, uri, dir string, args ...string) *frontend {
	t.Helper()
	f := &frontend{admin: freeAddr(t)}
	args = append([]string{"serve", "--listen", "127.0.0.1:0", "--admin", f.admin, "--mongo-uri", uri, "--data", dir}, args...)
	p, err := child.Start(child.Command{Path: mongotest.Binary(t), Args: args, Env: append(os.Environ(), env...), Ready: listening})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	f.Process, f.url = p, strings.TrimPrefix(p.Line(), listening)+"/collections/"
	return f
}

// startNull starts a database that does nothing and returns its URI.
func startNull(t testing.TB) string {
	t.Helper()
	p, err := child.Start(child.Command{Path: os.Args[0], Env: append(os.Environ(), role+"=null"), Ready: "mongodb://"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p.Line()
}

// freeAddr returns an address that nobody listens at.
func freeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// metric returns the sum of a metric over its labels.
func (f *frontend) metric(t testing.TB, name string) (sum float64) {
	t.Helper()
	resp, err := http.Get("http://" + f.admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		rest, ok := strings.CutPrefix(lines.Text(), "rapidrest_"+name)
		if !ok || rest[0] != '{' && rest[0] != ' ' {
			continue
		}
		v, err := strconv.ParseFloat(rest[strings.LastIndexByte(rest, ' ')+1:], 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += v
	}
	return sum
}

// drain returns when the server has delivered everything.
func (f *frontend) drain(t testing.TB) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); f.metric(t, "pending_documents") > 0; {
		if time.Now().After(deadline) {
			t.Fatal("the server does not deliver what it has taken")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// rss returns the resident memory of the process in bytes, now and at its peak.
func rss(t testing.TB, pid int) (now, peak int64) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(status) {
		var kib int64
		if n, _ := fmt.Sscanf(string(line), "VmRSS: %d kB", &kib); n == 1 {
			now = kib << 10
		}
		if n, _ := fmt.Sscanf(string(line), "VmHWM: %d kB", &kib); n == 1 {
			peak = kib << 10
		}
	}
	return now, peak
}

// cpu returns the processor time that a process has had.
func cpu(t testing.TB, pid int) time.Duration {
	t.Helper()
	const tick = time.Second / 100 // USER_HZ
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	// The second field is the name, in parentheses; user and system time are the 14th and the 15th.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	var ticks time.Duration
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		ticks += time.Duration(n)
	}
	return ticks * tick
}

// yield gives a process the lowest priority, all of its threads and those that they make.
func yield(t testing.TB, pid int) {
	t.Helper()
	const lowest = 19
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err == nil {
			err = syscall.Setpriority(syscall.PRIO_PROCESS, id, lowest)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// say prints a line of a measurement, whether the test fails or not.
func say(format string, args ...any) {
	fmt.Fprintf(os.Stdout, format+"\n", args...)
}
