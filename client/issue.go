package client

import "time"

// lateness is how far behind its time, in nanoseconds, a request may leave before the client
// itself is to blame for it.
const lateness = int64(time.Millisecond)

// A flight is a request on its way. Times are nanoseconds since the start.
type flight struct {
	due      int64 // when it should have been sent; in closed loop, when it was
	sent     int64
	measured bool // not warm-up
}

// flights is a ring of what is on its way, oldest first: answers come in the order of requests.
type flights struct {
	ring        []flight
	head, count int
}

func newFlights(depth int) flights { return flights{ring: make([]flight, depth)} }

func (f *flights) room() int       { return len(f.ring) - f.count }
func (f *flights) oldest() *flight { return &f.ring[f.head] }

func (f *flights) push(x flight) {
	at := f.head + f.count
	if at >= len(f.ring) {
		at -= len(f.ring)
	}
	f.ring[at] = x
	f.count++
}

func (f *flights) pop() flight {
	x := f.ring[f.head]
	if f.head++; f.head == len(f.ring) {
		f.head = 0
	}
	f.count--
	return x
}

// issue sends what there is room for and what is due. It does not wait for the socket, unless
// everything was answered before it was wholly sent.
func (c *connection) issue() {
	if c.writing && !c.finished() {
		return
	}
	for !c.broken && c.flights.room() > 0 {
		c.out = c.out[:0]
		if c.config.Rate > 0 {
			c.fillDue(c.now())
		} else {
			c.fill(c.now())
		}
		if len(c.out) == 0 || !c.send() {
			return
		}
	}
}

// finished asks after the write that the second goroutine does.
func (c *connection) finished() bool {
	var err error
	if c.flights.count > 0 {
		select {
		case err = <-c.written:
		default:
			return false
		}
	} else {
		// Answered already, as a 413 may be, so no answer will wake us: wait for the write.
		late := time.AfterFunc(c.config.Timeout, func() { c.conn.Close() })
		err = <-c.written
		late.Stop()
	}
	c.writing, c.broken = false, err != nil
	return true
}

// fill lays out as many requests as the pipeline has room for.
func (c *connection) fill(now int64) {
	for c.flights.room() > 0 && len(c.out) < maxWrite {
		fit := (maxWrite-len(c.out))/c.templates[0].size + 1
		first, n := c.schedule.claim(now, min(c.flights.room(), fit))
		if n == 0 {
			return
		}
		for k := first; k < first+int64(n); k++ {
			c.put(k, now, now)
		}
	}
}

// fillDue lays out the requests that are due, and leaves the next one pending.
func (c *connection) fillDue(now int64) {
	for c.flights.room() > 0 && len(c.out) < maxWrite {
		if c.pending < 0 {
			k, n := c.schedule.claim(now, 1)
			if n == 0 {
				return
			}
			c.pending, c.early = k, c.schedule.due(k) > now
		}
		due := c.schedule.due(c.pending)
		if due > now {
			return
		}
		if c.early && now-due > lateness {
			c.tally.late++
		}
		c.put(c.pending, due, now)
		c.pending = -1
	}
}

func (c *connection) put(k, due, now int64) {
	c.out = c.templates[k%int64(len(c.templates))].append(c.out, k)
	measured := k >= c.schedule.warmup
	c.flights.push(flight{due: due, sent: now, measured: measured})
	if measured {
		c.tally.sent++
	}
}

// send writes c.out as far as the socket takes it at once, and has the rest written beside. It
// returns true when all is written.
func (c *connection) send() bool {
	c.tally.written += int64(len(c.out))
	n, err := c.socket.try(c.out)
	if err != nil {
		c.broken = true // the read that follows says why, and finds the answers that came before
		return false
	}
	if n == len(c.out) {
		return true
	}
	c.writing = true
	conn, rest := c.conn, c.out[n:]
	go func() {
		_, err := conn.Write(rest)
		c.written <- err
	}()
	return false
}
