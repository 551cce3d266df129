package storetest

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
)

// Config says what kind of server it is. The zero value is a standalone that
// answers {ok: 1} to everything.
type Config struct {
	// Handle answers every command but hello. It is called from one goroutine a
	// connection, so from several at a time. Nil answers OK without looking at the
	// message, which is as cheap as a server can be.
	Handle func(*Command) Reply

	// ReplicaSet, when not empty, is the name of the set whose only member and
	// primary the server is: the driver then uses sessions and retries writes.
	ReplicaSet string
}

// Server is a listening server.
type Server struct {
	cfg      Config
	l        net.Listener
	messages atomic.Int64
	wg       sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]struct{} // nil once closed
	err   error                 // why accepting ended
}

// Listen starts a server at addr, "127.0.0.1:0" for a free port.
func Listen(addr string, cfg Config) (*Server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("storetest: listen %q: %w", addr, err)
	}
	s := &Server{cfg: cfg, l: l, conns: make(map[net.Conn]struct{})}
	s.wg.Add(1)
	go s.accept()
	return s, nil
}

// Addr is the host and port it listens on.
func (s *Server) Addr() string { return s.l.Addr().String() }

// URI is the connection string for a driver.
func (s *Server) URI() string {
	if s.cfg.ReplicaSet != "" {
		return "mongodb://" + s.Addr() + "/?replicaSet=" + s.cfg.ReplicaSet
	}
	return "mongodb://" + s.Addr() + "/"
}

// Messages counts the messages that have been read whole, without hello.
func (s *Server) Messages() int64 { return s.messages.Load() }

// Wait returns when the server has been closed and its goroutines have ended.
func (s *Server) Wait() error {
	s.wg.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close stops listening and cuts every connection.
func (s *Server) Close() error {
	s.l.Close()
	s.HangUp()
	s.mu.Lock()
	s.conns = nil
	s.mu.Unlock()
	return s.Wait()
}

// HangUp cuts every connection and goes on listening.
func (s *Server) HangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.Close()
	}
}

func (s *Server) accept() {
	defer s.wg.Done()
	for {
		c, err := s.l.Accept()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				s.mu.Lock()
				s.err = fmt.Errorf("storetest: accept: %w", err)
				s.mu.Unlock()
			}
			return
		}
		if !s.keep(c) {
			c.Close()
			return
		}
		s.wg.Go(func() {
			s.serve(c)
			s.mu.Lock()
			delete(s.conns, c)
			s.mu.Unlock()
			c.Close()
		})
	}
}

// keep notes the connection, unless the server has been closed meanwhile.
func (s *Server) keep(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		return false
	}
	s.conns[c] = struct{}{}
	return true
}

// serve answers the commands of one connection until it ends or misbehaves.
func (s *Server) serve(c net.Conn) {
	var (
		r   = bufio.NewReaderSize(c, 64<<10)
		in  []byte
		out []byte
		cmd Command
	)
	for {
		h, body, err := readMessage(r, in)
		if err != nil {
			return
		}
		in = body
		name, err := parse(h, body, &cmd, s.cfg.Handle != nil)
		if err != nil {
			return
		}
		reply := OK
		switch {
		case isHello(name):
			reply = Reply{Doc: s.hello()}
		case s.cfg.Handle != nil:
			s.messages.Add(1)
			reply = s.cfg.Handle(&cmd)
		default:
			s.messages.Add(1)
		}
		out = appendReply(out[:0], h, reply.Doc)
		if reply.Hang {
			c.Write(out[:min(max(reply.Cut, 0), len(out))])
			return
		}
		if _, err := c.Write(out); err != nil {
			return
		}
	}
}
