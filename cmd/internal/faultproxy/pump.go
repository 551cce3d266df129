package faultproxy

import (
	"net"
	"time"
)

// direction is which way a pump goes.
type direction uint8

const (
	request direction = iota
	reply
)

// pump carries what comes from src to dst, as far as the fault of the moment lets
// it through, and closes both when it ends.
func (p *Proxy) pump(c *pair, src, dst net.Conn, d direction) {
	defer c.close()
	buf := make([]byte, 64<<10)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			through, cut := p.fate(c, n, d)
			if through > 0 {
				if _, err := dst.Write(buf[:through]); err != nil {
					return
				}
			}
			if cut {
				p.cut(c)
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// fate says how many of n bytes go through, and whether the connection is cut
// behind them. It returns once a freeze or a delay is over.
func (p *Proxy) fate(c *pair, n int, d direction) (through int, cut bool) {
	for {
		s := p.state.Load()
		switch {
		case s.Kind == Freeze:
			select {
			case <-s.over:
				continue
			case <-c.gone:
				return 0, true
			}
		case s.Kind == Delay && d == reply:
			t := time.NewTimer(s.Delay)
			defer t.Stop()
			select {
			case <-t.C:
			case <-s.over:
			case <-c.gone:
			}
			return n, false
		case s.Kind == Refuse,
			s.Kind == CutRequest && d == request,
			s.Kind == CutReply && d == reply:
			return 0, true
		case s.Kind == HalfRequest && d == request,
			s.Kind == HalfReply && d == reply:
			return n / 2, true
		}
		return n, false
	}
}
