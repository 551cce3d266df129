package router

import (
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// counted counts how often the deadlines of a connection are moved.
type counted struct {
	net.Conn
	reads, writes int
}

func (c *counted) SetReadDeadline(t time.Time) error {
	c.reads++
	return c.Conn.SetReadDeadline(t)
}

func (c *counted) SetWriteDeadline(t time.Time) error {
	c.writes++
	return c.Conn.SetWriteDeadline(t)
}

// lazyPipe returns the two ends of a connection, one of them lazy, within a bubble of synctest.
func lazyPipe(t *testing.T) (lazy *lazyConn, real *counted, other net.Conn) {
	a, b := net.Pipe()
	t.Cleanup(func() { a.Close(); b.Close() })
	real = &counted{Conn: a}
	return newLazyConn(real), real, b
}

// readFails reads from c, where nothing comes, and returns how long it waited for its deadline.
func readFails(t *testing.T, c net.Conn) time.Duration {
	t.Helper()
	start := time.Now()
	if n, err := c.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("read %d bytes, error %v; want a deadline", n, err)
	}
	return time.Since(start)
}

// A deadline comes between its time and an eighth, or a second, after it: whatever was set before.
func TestLazyDeadlineComesInTime(t *testing.T) {
	for _, before := range []time.Duration{0, time.Millisecond, 3 * time.Second, time.Minute, time.Hour} {
		for _, d := range []time.Duration{0, 1, time.Millisecond, 80 * time.Millisecond, time.Second, 10 * time.Second, time.Minute} {
			synctest.Test(t, func(t *testing.T) {
				c, _, _ := lazyPipe(t)
				if before > 0 {
					c.SetReadDeadline(time.Now().Add(before))
					readFails(t, c)
				}
				c.SetReadDeadline(time.Now().Add(d))
				if took, late := readFails(t, c), min(d/8, time.Second); took < d || took > d+late+time.Microsecond {
					t.Errorf("%v after one of %v: came after %v", d, before, took)
				}
			})
		}
	}
}

// The deadlines of a connection that is in use are moved about once a second, not three times a request.
func TestLazyDeadlinesMoveSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, real, other := lazyPipe(t)
		go func() {
			for buf := make([]byte, 1); ; {
				if _, err := other.Write(buf); err != nil {
					return
				}
				if _, err := other.Read(buf); err != nil {
					return
				}
			}
		}()
		for range 10_000 { // a millisecond each
			c.SetReadDeadline(time.Now().Add(time.Minute))
			if _, err := c.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			c.SetReadDeadline(time.Now().Add(10 * time.Second))
			c.SetWriteDeadline(time.Now().Add(30 * time.Second))
			if _, err := c.Write([]byte{1}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		if real.reads > 11 || real.writes > 11 || real.reads < 9 || real.writes < 9 {
			t.Errorf("in 10 s the deadlines were moved %d and %d times", real.reads, real.writes)
		}
	})
}

// What is set while a call waits holds at once: shorter, longer, and none.
func TestLazyDeadlineOfACallUnderWay(t *testing.T) {
	tests := []struct {
		name     string
		set, end time.Duration // set at one second; end: when the call ends
	}{
		{"past", -time.Hour, time.Second},
		{"shorter", time.Second, 2 * time.Second},
		{"longer", time.Hour, time.Hour + time.Second},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			c, _, _ := lazyPipe(t)
			c.SetDeadline(time.Now().Add(time.Minute))
			go func() {
				time.Sleep(time.Second)
				c.SetReadDeadline(time.Now().Add(test.set))
			}()
			if took := readFails(t, c); took != test.end {
				t.Errorf("%s: the read ended after %v, want %v", test.name, took, test.end)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		c, _, other := lazyPipe(t)
		c.SetDeadline(time.Now().Add(time.Minute))
		go func() {
			time.Sleep(time.Second)
			c.SetDeadline(time.Time{})
			time.Sleep(time.Hour)
			other.Write([]byte{1})
		}()
		if n, err := c.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Errorf("without a deadline: read %d bytes, error %v", n, err)
		}
	})
}

// A write to somebody who does not read ends too.
func TestLazyWriteDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _, _ := lazyPipe(t)
		start := time.Now()
		c.SetWriteDeadline(start.Add(8 * time.Second))
		if _, err := c.Write([]byte{1}); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("error %v, want a deadline", err)
		}
		if took := time.Since(start); took != 9*time.Second {
			t.Errorf("it ended after %v, want an eighth after 8 s", took)
		}
	})
}

// Many goroutines move the deadline of one that reads: whatever was wanted last holds.
func TestLazyDeadlineRace(t *testing.T) {
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			c, _, _ := lazyPipe(t)
			const last = 5 * time.Second
			done := make(chan time.Duration)
			c.SetReadDeadline(time.Now().Add(time.Minute))
			start := time.Now()
			go func() {
				c.Read(make([]byte, 1))
				done <- time.Since(start)
			}()
			moved := make(chan bool)
			for i := range 4 {
				go func() {
					c.SetReadDeadline(start.Add(time.Duration(i+1) * time.Hour))
					moved <- true
				}()
			}
			for range 4 {
				<-moved
			}
			c.SetReadDeadline(start.Add(last))
			if took := <-done; took < last || took > last+last/8 {
				t.Errorf("the read ended after %v, want %v", took, last)
			}
		})
	}
}

// BenchmarkDeadlines is what the three deadlines of a request cost on a TCP connection, with the
// call that one of them is for left out.
func BenchmarkDeadlines(b *testing.B) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer ln.Close()
	client, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	conn, err := ln.Accept()
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	now := time.Now()
	b.Run("set", func(b *testing.B) {
		for b.Loop() {
			conn.SetReadDeadline(now.Add(time.Minute))
			conn.SetReadDeadline(now.Add(10 * time.Second))
			conn.SetWriteDeadline(now.Add(30 * time.Second))
		}
	})
	b.Run("lazy", func(b *testing.B) {
		c := newLazyConn(conn)
		for b.Loop() {
			c.SetReadDeadline(now.Add(time.Minute))
			c.read.begin(conn.SetReadDeadline, c.opened)
			c.read.end()
			c.SetReadDeadline(now.Add(10 * time.Second))
			c.SetWriteDeadline(now.Add(30 * time.Second))
			c.write.begin(conn.SetWriteDeadline, c.opened)
			c.write.end()
		}
	})
}
