package faultproxy

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Kind is a kind of fault; the package comment has a table of them.
type Kind uint8

const (
	None Kind = iota
	Delay
	CutRequest
	HalfRequest
	CutReply
	HalfReply
	Freeze
	Refuse

	// Kinds is how many there are, None included.
	Kinds
)

var names = [Kinds]string{"none", "delay", "cut request", "half request", "cut reply", "half reply", "freeze", "refuse"}

// String returns the kind's name, as "half reply".
func (k Kind) String() string {
	if k < Kinds {
		return names[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Fault is what goes wrong. The zero value is nothing.
type Fault struct {
	Kind  Kind
	Delay time.Duration // of kind Delay
}

// Proxy is a listening proxy. Its methods may be called from any goroutine.
type Proxy struct {
	target string
	l      net.Listener
	state  atomic.Pointer[state]
	cuts   atomic.Int64
	wg     sync.WaitGroup

	mu    sync.Mutex
	pairs map[*pair]struct{} // nil once closed
}

// state is a fault and the channel that tells when another has taken its place.
type state struct {
	Fault
	over chan struct{}
}

// Listen starts a proxy at addr ("127.0.0.1:0" for a free port) to target.
func Listen(addr, target string) (*Proxy, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("faultproxy: listen %q: %w", addr, err)
	}
	p := &Proxy{target: target, l: l, pairs: make(map[*pair]struct{})}
	p.state.Store(&state{over: make(chan struct{})})
	p.wg.Go(p.accept)
	return p, nil
}

// Addr is the host and port it listens on.
func (p *Proxy) Addr() string { return p.l.Addr().String() }

// Set puts f in the place of the fault there was.
func (p *Proxy) Set(f Fault) {
	old := p.state.Swap(&state{f, make(chan struct{})})
	close(old.over)
	if f.Kind == Refuse {
		p.cutAll()
	}
}

// Cuts is how many connections it has cut.
func (p *Proxy) Cuts() int64 { return p.cuts.Load() }

// Close stops listening, cuts every connection and waits for its goroutines.
func (p *Proxy) Close() error {
	err := p.l.Close()
	p.mu.Lock()
	pairs := p.pairs
	p.pairs = nil
	p.mu.Unlock()
	for c := range pairs {
		c.close()
	}
	p.wg.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (p *Proxy) cutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.pairs {
		p.cut(c)
	}
}

func (p *Proxy) cut(c *pair) {
	c.end(func() { p.cuts.Add(1) })
}

func (p *Proxy) accept() {
	for {
		client, err := p.l.Accept()
		if err != nil {
			return // closed; anything else would be our own end too
		}
		p.wg.Go(func() { p.serve(client) })
	}
}

// serve connects client to the target and pumps until either end is gone.
func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	s := p.state.Load()
	if s.Kind == Refuse {
		p.cuts.Add(1)
		return
	}
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return // as if the target itself had refused
	}
	c := &pair{client: client, server: server, gone: make(chan struct{})}
	if !p.keep(c) {
		c.close()
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { p.pump(c, client, server, request) })
	wg.Go(func() { p.pump(c, server, client, reply) })
	wg.Wait()
	p.mu.Lock()
	delete(p.pairs, c)
	p.mu.Unlock()
}

func (p *Proxy) keep(c *pair) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pairs == nil {
		return false
	}
	p.pairs[c] = struct{}{}
	return true
}

// pair is a client's connection and the one to the target that belongs to it.
type pair struct {
	client, server net.Conn
	once           sync.Once
	gone           chan struct{} // closed with the connections
}

// close closes both ends, if they are open.
func (c *pair) close() { c.end(func() {}) }

// end closes both ends, if they are open, and calls first right before: what it
// notes is to be seen by whoever sees the connection end.
func (c *pair) end(first func()) {
	c.once.Do(func() {
		first()
		close(c.gone)
		c.client.Close()
		c.server.Close()
	})
}
