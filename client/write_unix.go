//go:build unix

package client

import (
	"net"
	"syscall"
)

// A writer makes writes that never wait. TLS has none: there, every write is left to the
// second goroutine.
type writer struct {
	raw   syscall.RawConn
	write func(fd uintptr) bool // made once, since a closure per write would be garbage
	b     []byte
	n     int
	err   error
}

func newWriter(conn net.Conn) *writer {
	w := &writer{}
	w.write = func(fd uintptr) bool {
		for {
			w.n, w.err = syscall.Write(int(fd), w.b)
			if w.err != syscall.EINTR {
				return true // done, whatever came of it: false would wait for the socket
			}
		}
	}
	if sc, ok := conn.(syscall.Conn); ok {
		w.raw, _ = sc.SyscallConn()
	}
	return w
}

// try writes the n first bytes of b, as many as the socket takes.
func (w *writer) try(b []byte) (n int, err error) {
	if w.raw == nil {
		return 0, nil
	}
	w.b = b
	if err := w.raw.Write(w.write); err != nil {
		return 0, err
	}
	return max(0, w.n), w.err
}
