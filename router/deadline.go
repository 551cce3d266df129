package router

import (
	"errors"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// LazyDeadlines returns ln with connections that move their deadlines seldom. fasthttp sets three
// of them for every request, each behind a lock and a timer of the runtime; together that is a tenth
// of what a small request costs. Nearly always the deadline that is set already does: it lies a
// little after the one that is wanted.
//
//	server := router.NewServer(matcher, router.Limits{})
//	server.Serve(router.LazyDeadlines(ln))
//
// A deadline of such a connection never comes early. It comes late by an eighth of the time that was
// left when it was set, and by a second at most. One that is set while a Read or Write waits holds at
// once and exactly, so that a deadline in the past still ends a Read on another goroutine.
func LazyDeadlines(ln net.Listener) net.Listener { return lazyListener{ln} }

// maxLate bounds how late a deadline may come.
const maxLate = time.Second

type lazyListener struct{ net.Listener }

func (l lazyListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newLazyConn(conn), nil
}

type lazyConn struct {
	net.Conn
	opened      time.Time // the deadlines are counted from here
	read, write lazyDeadline
}

func newLazyConn(conn net.Conn) *lazyConn {
	c := &lazyConn{Conn: conn, opened: time.Now()}
	for _, d := range []*lazyDeadline{&c.read, &c.write} {
		d.wanted.Store(never)
		d.armed.Store(int64(newCover(never, 0)))
	}
	return c
}

func (c *lazyConn) Read(p []byte) (int, error) {
	if err := c.read.begin(c.Conn.SetReadDeadline, c.opened); err != nil {
		return 0, err
	}
	defer c.read.end()
	return c.Conn.Read(p)
}

func (c *lazyConn) Write(p []byte) (int, error) {
	if err := c.write.begin(c.Conn.SetWriteDeadline, c.opened); err != nil {
		return 0, err
	}
	defer c.write.end()
	return c.Conn.Write(p)
}

func (c *lazyConn) SetReadDeadline(t time.Time) error {
	return c.read.want(t, c.Conn.SetReadDeadline, c.opened)
}

func (c *lazyConn) SetWriteDeadline(t time.Time) error {
	return c.write.want(t, c.Conn.SetWriteDeadline, c.opened)
}

func (c *lazyConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// lazyDeadline is the deadline of one direction. Its times are microseconds since the connection was
// opened.
//
// Why nobody waits past what was wanted: want stores the time and then looks whether a call is under way;
// begin says that a call is under way and then looks at the time. Whichever comes second sees what the
// other did, so either begin finds the new time or want arms it. And where both arm, each does it under
// the lock and reads the time there, so the one that is last arms the newest.
type lazyDeadline struct {
	wanted  atomic.Int64
	waiting atomic.Int32 // calls under way
	armed   atomic.Int64 // a cover

	mu sync.Mutex // one arms at a time
}

// never is the time of no deadline. Shifted into a cover it is still positive.
const never = math.MaxInt64 >> lateBits

// cover is what the connection's real deadline does for, in one word so that it is read at once: the
// real deadline, and in its lowest bits how many milliseconds before it a wanted one may lie.
type cover int64

const lateBits = 10 // for maxLate

func newCover(at int64, late time.Duration) cover { return cover(at<<lateBits | late.Milliseconds()) }

func (c cover) holds(wanted int64) bool {
	at, late := int64(c>>lateBits), int64(c&(1<<lateBits-1))
	return wanted <= at && wanted >= at-late*1000
}

// want is told of a deadline by whoever uses the connection. set moves the real one.
func (d *lazyDeadline) want(t time.Time, set func(time.Time) error, opened time.Time) error {
	wanted := int64(never)
	if !t.IsZero() {
		wanted = (t.Sub(opened) + time.Microsecond - 1).Microseconds()
	}
	d.wanted.Store(wanted)
	if d.waiting.Load() == 0 {
		return nil
	}
	return d.arm(set, opened, 0)
}

// begin stands before a call that may wait. Without an error, end stands behind it.
func (d *lazyDeadline) begin(set func(time.Time) error, opened time.Time) error {
	d.waiting.Add(1)
	if cover(d.armed.Load()).holds(d.wanted.Load()) {
		return nil
	}
	err := d.arm(set, opened, maxLate)
	if err != nil {
		d.end()
	}
	return err
}

func (d *lazyDeadline) end() { d.waiting.Add(-1) }

// arm sets the real deadline to the one that is wanted, or up to late after it.
func (d *lazyDeadline) arm(set func(time.Time) error, opened time.Time, late time.Duration) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	wanted := d.wanted.Load()
	if wanted == never {
		d.armed.Store(int64(newCover(never, 0)))
		return set(time.Time{})
	}
	at := time.Duration(wanted) * time.Microsecond
	late = max(0, min(late, (at-time.Since(opened))/8)).Truncate(time.Millisecond)
	d.armed.Store(int64(newCover(wanted+late.Microseconds(), late)))
	return set(opened.Add(at + late))
}
