package child_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rapidrest/rapidrest/cmd/internal/child"
)

func shell(script string) child.Command {
	return child.Command{Path: "/bin/sh", Args: []string{"-c", script}, Ready: "ready"}
}

func TestStartWaitsForTheLine(t *testing.T) {
	p, err := child.Start(shell("echo first; echo ready now; exec sleep 600"))
	if err != nil {
		t.Fatal(err)
	}
	if p.Line() != "ready now" {
		t.Errorf("line %q", p.Line())
	}
	p.Kill()
	p.Kill()
	select {
	case <-p.Gone():
	default:
		t.Error("not gone after Kill")
	}
}

func TestStartSaysWhyItIsNotReady(t *testing.T) {
	for name, test := range map[string]struct {
		c    child.Command
		want string
	}{
		"exits":       {shell("echo what >&2; exit 7"), `exit status 7; it said: what`},
		"exits well":  {shell("echo other"), `exit status 0`},
		"hangs":       {child.Command{Path: "/bin/sleep", Args: []string{"600"}, Ready: "ready", Wait: 10 * time.Millisecond}, "signal: killed"},
		"not a thing": {child.Command{Path: "/no/such", Ready: "ready"}, "no such file"},
	} {
		if _, err := child.Start(test.c); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want …%s…", name, err, test.want)
		}
	}
}

func TestStopIsGentleFirst(t *testing.T) {
	p, err := child.Start(shell("trap 'echo bye >&2; exit 0' TERM; echo ready; while :; do sleep 0.01; done"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(time.Minute); err != nil || p.Stderr() != "bye\n" {
		t.Errorf("%v, %q", err, p.Stderr())
	}
	p, err = child.Start(shell("trap '' TERM; echo ready; while :; do sleep 0.01; done"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(10 * time.Millisecond); err == nil || !strings.Contains(err.Error(), "did not end") {
		t.Errorf("a deaf process: %v", err)
	}
}

func TestOnlyTheEndOfStandardErrorIsKept(t *testing.T) {
	p, err := child.Start(shell("head -c 100000 /dev/zero | tr '\\0' a >&2; echo -n end >&2; echo ready; exec sleep 600"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-p.Gone()
	if s := p.Stderr(); len(s) != 8<<10 || !strings.HasSuffix(s, "aend") {
		t.Errorf("%d bytes, ending in %q", len(s), s[max(0, len(s)-10):])
	}
}
