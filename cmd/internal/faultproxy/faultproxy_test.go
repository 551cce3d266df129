package faultproxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rapidrest/rapidrest/cmd/internal/faultproxy"
)

// echo is a server that answers a line with "<line> <number>", where number counts
// the lines that reached it.
type echo struct {
	addr  string
	lines atomic.Int64
}

func startEcho(t *testing.T) *echo {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	e := &echo{addr: l.Addr().String()}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for r := bufio.NewReader(c); ; {
					line, err := r.ReadString('\n')
					if err != nil {
						return
					}
					fmt.Fprintf(c, "%s %d\n", strings.TrimSpace(line), e.lines.Add(1))
				}
			}()
		}
	}()
	return e
}

func start(t *testing.T, e *echo) *faultproxy.Proxy {
	t.Helper()
	p, err := faultproxy.Listen("127.0.0.1:0", e.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// ask sends a line and returns what comes back until the answer's end, or the
// connection's.
func ask(t *testing.T, c net.Conn, line string) (string, error) {
	t.Helper()
	if _, err := io.WriteString(c, line+"\n"); err != nil {
		return "", err
	}
	return bufio.NewReader(c).ReadString('\n')
}

func dial(t *testing.T, p *faultproxy.Proxy) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestEveryKind(t *testing.T) {
	for _, test := range []struct {
		fault faultproxy.Fault
		got   string // by the client
		lines int64  // that reached the server
		cut   bool
	}{
		{faultproxy.Fault{}, "hello 2\n", 2, false},
		{faultproxy.Fault{Kind: faultproxy.Delay, Delay: time.Millisecond}, "hello 2\n", 2, false},
		{faultproxy.Fault{Kind: faultproxy.CutRequest}, "", 1, true},
		{faultproxy.Fault{Kind: faultproxy.HalfRequest}, "", 1, true},
		{faultproxy.Fault{Kind: faultproxy.CutReply}, "", 2, true},
		{faultproxy.Fault{Kind: faultproxy.HalfReply}, "hell", 2, true},
	} {
		t.Run(test.fault.Kind.String(), func(t *testing.T) {
			e := startEcho(t)
			p := start(t, e)
			c := dial(t, p)
			if got, err := ask(t, c, "first"); err != nil || got != "first 1\n" {
				t.Fatalf("before the fault: %q, %v", got, err)
			}
			p.Set(test.fault)
			got, err := ask(t, c, "hello")
			if got != test.got || (err != nil) != test.cut {
				t.Errorf("got %q, %v; want %q, cut %v", got, err, test.got, test.cut)
			}
			if n := e.lines.Load(); n != test.lines {
				t.Errorf("%d lines reached the server, want %d", n, test.lines)
			}
			if n := p.Cuts(); (n == 1) != test.cut {
				t.Errorf("%d cuts, want cut %v", n, test.cut)
			}
			p.Set(faultproxy.Fault{})
			if got, err := ask(t, dial(t, p), "again"); err != nil || !strings.HasPrefix(got, "again ") {
				t.Errorf("after the fault: %q, %v", got, err)
			}
		})
	}
}

func TestFreezeHoldsEverythingUntilItIsOver(t *testing.T) {
	e := startEcho(t)
	p := start(t, e)
	c := dial(t, p)
	if _, err := ask(t, c, "first"); err != nil {
		t.Fatal(err)
	}
	p.Set(faultproxy.Fault{Kind: faultproxy.Freeze})
	answer := make(chan string)
	go func() {
		got, _ := ask(t, c, "hello")
		answer <- got
	}()
	select {
	case got := <-answer:
		t.Errorf("answered %q while frozen", got)
	case <-time.After(20 * time.Millisecond):
	}
	p.Set(faultproxy.Fault{})
	if got := <-answer; got != "hello 2\n" {
		t.Errorf("after the freeze: %q", got)
	}
}

func TestRefuseCutsWhatIsOpenAndWhatComes(t *testing.T) {
	e := startEcho(t)
	p := start(t, e)
	c := dial(t, p)
	if _, err := ask(t, c, "first"); err != nil {
		t.Fatal(err)
	}
	p.Set(faultproxy.Fault{Kind: faultproxy.Refuse})
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("an open connection lives on")
	}
	if _, err := ask(t, dial(t, p), "hello"); err == nil {
		t.Error("a new connection was answered")
	}
	if n := e.lines.Load(); n != 1 {
		t.Errorf("%d lines reached the server, want 1", n)
	}
}

func TestCloseEndsFrozenConnections(t *testing.T) {
	p := start(t, startEcho(t))
	c := dial(t, p)
	if _, err := ask(t, c, "first"); err != nil {
		t.Fatal(err)
	}
	p.Set(faultproxy.Fault{Kind: faultproxy.Freeze})
	if _, err := io.WriteString(c, "hello\n"); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func TestATargetThatIsGoneCutsTheClient(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	p, err := faultproxy.Listen("127.0.0.1:0", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if _, err := dial(t, p).Read(make([]byte, 1)); err == nil {
		t.Error("answered by nobody")
	}
}
