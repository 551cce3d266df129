package client

import (
	"io"
	"net"
	"syscall"
	"unsafe"
)

// A socket reads and writes a connection with as little around the system calls as can be. Both
// calls return at once, since the descriptor never blocks; so they are made raw, without the
// runtime getting ready for a thread that might not come back. At one request per call that is
// a twentieth of all the client's CPU time.
//
// TLS has no descriptor of its own: there, reads go through the connection, and try writes
// nothing.
type socket struct {
	conn        net.Conn
	raw         syscall.RawConn
	read, write func(fd uintptr) bool // made once, since a closure per call would be garbage
	in, out     []byte
	n           int
	errno       syscall.Errno
}

func newSocket(conn net.Conn) *socket {
	s := &socket{conn: conn}
	if sc, ok := conn.(syscall.Conn); ok {
		s.raw, _ = sc.SyscallConn()
	}
	s.read = func(fd uintptr) bool {
		s.call(syscall.SYS_READ, fd, s.in)
		return s.errno != syscall.EAGAIN // false waits until there is something to read
	}
	s.write = func(fd uintptr) bool {
		s.call(syscall.SYS_WRITE, fd, s.out)
		return true // done, whatever came of it: false would wait for the socket
	}
	return s
}

func (s *socket) call(trap, fd uintptr, b []byte) {
	for {
		n, _, errno := syscall.RawSyscall(trap, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
		if s.n, s.errno = int(n), errno; errno != syscall.EINTR {
			return
		}
	}
}

// Read waits for bytes, or for the read deadline of the connection.
func (s *socket) Read(b []byte) (n int, err error) {
	if s.raw == nil {
		return s.conn.Read(b)
	}
	s.in = b
	if err := s.raw.Read(s.read); err != nil {
		return 0, err
	}
	switch {
	case s.errno != 0:
		return 0, s.errno
	case s.n == 0 && len(b) > 0:
		return 0, io.EOF
	}
	return s.n, nil
}

// try writes the n first bytes of b, as many as the socket takes without waiting.
func (s *socket) try(b []byte) (n int, err error) {
	if s.raw == nil {
		return 0, nil
	}
	s.out = b
	if err := s.raw.Write(s.write); err != nil {
		return 0, err
	}
	switch s.errno {
	case 0:
		return s.n, nil
	case syscall.EAGAIN:
		return 0, nil
	}
	return 0, s.errno
}
