package client

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// maxWrite ends the filling of one write, in bytes, so that a deep pipeline of large
	// bodies takes no memory out of proportion.
	maxWrite = 64 << 10

	// A connection that was lost without a single answer comes back after a pause, which
	// doubles from the first to the last.
	firstPause = 5 * time.Millisecond
	lastPause  = 500 * time.Millisecond
)

var (
	longAgo    = time.Unix(1, 0)
	errClosing = errors.New("client: the server said Connection: close while requests were on their way")
	errClosed  = errors.New("client: the server closed the connection before it answered")
	errTimeout = errors.New("client: no answer in time")
)

// A connection sends requests and reads their answers, redialing when it is lost. One
// goroutine does both: it writes what there is room for without waiting, and then reads. Only
// when the socket takes no more does a second goroutine finish the write, while this one goes
// on reading: were it to wait, a server that cannot get rid of its answers would never come to
// read the rest, and both sides would stand still.
type connection struct {
	*run
	tally    *tally
	live     atomic.Int64 // answers, for Progress
	bodiless bool         // the method is HEAD

	conn     net.Conn
	socket   *socket
	parser   parser
	in       []byte // read and not yet parsed: in[from:to]
	from, to int
	out      []byte     // the requests of one write
	flights  flights    // sent, not yet answered
	writing  bool       // a second goroutine is finishing a write
	written  chan error // its result
	broken   bool       // a write failed: nothing more is sent, but answers may still come
	deadline int64      // of reads, as it was last set

	pending int64 // open loop: the number claimed and not yet due, or -1
	early   bool  // it was claimed before it was due
	over    bool  // nothing is left to send, and all is answered
}

func newConnection(r *run) *connection {
	return &connection{
		run:      r,
		tally:    newTally(&r.config),
		bodiless: r.config.Method == "HEAD",
		in:       make([]byte, maxHead),
		flights:  newFlights(r.config.Pipeline),
		written:  make(chan error, 1),
		pending:  -1,
	}
}

// work goes on until the schedule has nothing left, and gives up when Timeout has passed without
// an answer or when nobody has ever listened. It leaves what it would have sent to the others.
func (c *connection) work(ctx context.Context) {
	wait, alive := firstPause, c.now()
	for ctx.Err() == nil && !c.over && (c.pending >= 0 || !c.schedule.exhausted(c.now())) {
		before := c.live.Load()
		err := c.open(ctx)
		if err == nil {
			c.session(ctx)
			c.shut()
		} else if ctx.Err() == nil {
			c.tally.fail(Dial, 1, err)
		}
		if c.live.Load() > before {
			wait, alive = firstPause, c.now()
			continue
		}
		refused := errors.Is(err, syscall.ECONNREFUSED) && !c.connected.Load()
		if c.over || refused || c.now()-alive >= int64(c.config.Timeout) || !pause(ctx, wait) {
			return
		}
		wait = min(2*wait, lastPause)
	}
}

func (c *connection) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	conn, err := c.target.dial(ctx, c.config.TLS)
	if err != nil {
		return err
	}
	c.connected.Store(true)
	c.tally.dials++
	c.conn, c.socket = conn, newSocket(conn)
	c.parser, c.from, c.to = parser{}, 0, 0
	c.writing, c.broken, c.deadline = false, false, -1
	return nil
}

// shut closes the connection. That ends a write which is still under way too.
func (c *connection) shut() {
	c.conn.Close()
	if c.writing {
		<-c.written
		c.writing = false
	}
}

// session uses the connection until it is lost or the run is over. Whatever was sent on it has
// been counted when it returns.
func (c *connection) session(ctx context.Context) {
	conn := c.conn
	stop := context.AfterFunc(ctx, func() { conn.SetReadDeadline(longAgo) })
	defer stop()
	for {
		c.issue()
		if c.flights.count == 0 && (c.broken || c.pending < 0) {
			c.over = !c.broken
			return
		}
		// The deadline of a cancelled context must not be overwritten unseen: it is set after
		// the context is done, so looking at the context after setting our own is enough.
		c.arm()
		if ctx.Err() != nil {
			c.abandon(Canceled, ctx.Err())
			return
		}
		n, err := c.socket.Read(c.in[c.to:])
		now := c.now()
		c.to += n
		c.tally.read += int64(n)
		if !c.take(now) || err != nil && !c.survive(ctx, err, now) {
			return
		}
	}
}

// arm sets the deadline of the next read: the oldest request's timeout or, in open loop, when
// the next one is due. In closed loop a deadline once set is left to pass, since the oldest
// request only gets younger; that spares a timer per request.
func (c *connection) arm() {
	now := c.now()
	want := now + int64(c.config.Timeout)
	if c.flights.count > 0 {
		want = c.flights.oldest().sent + int64(c.config.Timeout)
	}
	if c.pending >= 0 && c.flights.room() > 0 {
		due := c.schedule.due(c.pending)
		if c.writing {
			due = max(due, now+lateness) // nothing wakes us when the write is done: look again
		}
		want = min(want, due)
	} else if now < c.deadline && c.deadline <= want {
		return
	}
	c.deadline = want
	c.conn.SetReadDeadline(c.start.Add(time.Duration(want)))
}

// survive decides what a failed read means. It returns true if the connection lives on.
func (c *connection) survive(ctx context.Context, err error, now int64) bool {
	switch {
	case ctx.Err() != nil:
		c.abandon(Canceled, ctx.Err())
	case errors.Is(err, os.ErrDeadlineExceeded):
		if c.flights.count == 0 || now < c.flights.oldest().sent+int64(c.config.Timeout) {
			return true
		}
		c.abandon(Timeout, errTimeout)
	case errors.Is(err, io.EOF):
		c.ended(now)
	default:
		c.abandon(Reset, err)
	}
	return false
}

// ended counts what an orderly close by the server leaves behind.
func (c *connection) ended(now int64) {
	if c.parser.state == untilClose && c.flights.count > 0 {
		c.answer(now)
	} else if !c.parser.idle() && c.flights.count > 0 {
		if c.flights.pop().measured {
			c.tally.fail(Short, 1, io.ErrUnexpectedEOF)
		}
	}
	c.abandon(Closed, errClosed)
}

// abandon counts everything on its way as lost.
func (c *connection) abandon(kind Kind, err error) {
	lost := int64(0)
	for c.flights.count > 0 {
		if c.flights.pop().measured {
			lost++
		}
	}
	c.tally.fail(kind, lost, err)
}

// take parses what has been read. It returns false when the connection is of no more use.
func (c *connection) take(now int64) bool {
	for c.from < c.to {
		n, done, err := c.parser.feed(c.in[c.from:c.to], c.bodiless)
		c.from += n
		if err != nil {
			c.abandon(Parse, err)
			return false
		}
		if !done {
			break
		}
		if c.flights.count == 0 {
			return false // an answer nobody asked for, such as a 408 on an idle connection
		}
		c.answer(now)
		if c.parser.close {
			c.abandon(Closed, errClosing)
			return false
		}
	}
	c.to = copy(c.in, c.in[c.from:c.to])
	c.from = 0
	return true
}

// answer counts the answer that the parser has just read to its end.
func (c *connection) answer(now int64) {
	f := c.flights.pop()
	c.live.Store(c.live.Load() + 1)
	if !f.measured {
		return
	}
	t := c.tally
	t.answered++
	t.status[c.parser.status]++
	t.lastAnswer = now
	t.latency.RecordValue(min(now-f.due, longestLatency))
	if t.uncorrected != nil {
		t.uncorrected.RecordValue(min(now-f.sent, longestLatency))
	}
}
