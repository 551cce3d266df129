package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/valyala/fasthttp"
)

// httpGrace is how long requests under way may take to end once a signal has come, or half of the
// drain if that is less. What is still open then is left to itself, so that a client that went to
// sleep in the middle of a request does not take the time that the buffers need.
const httpGrace = 5 * time.Second

// free says whether one can listen on the address of a flag, if it names one. It is asked before
// a database is started, which takes seconds and leaves files; the address is let go again, since a
// client should not be taken before there is somebody to answer.
func (a address) free(flag string) error {
	if a == "" {
		return nil
	}
	ln, err := net.Listen("tcp", string(a))
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return ln.Close()
}

// listening is how a server's listener becomes the one that it serves.
type listening func(net.Listener) net.Listener

// plain leaves a listener as it is.
func plain(ln net.Listener) net.Listener { return ln }

// serveHTTP listens on addr, says so, and serves what on makes of that, with TLS where srv has a
// configuration for it, until a signal or a fault; then it takes no more connections and waits for the requests under
// way. What remains to be done has until rest ends: drain after the signal, or with the next one.
func (p *process) serveHTTP(addr address, on listening, srv *fasthttp.Server, drain time.Duration) (rest context.Context, cancel context.CancelFunc, err error) {
	err = p.listenAndServe(addr, on, srv)
	rest, cancel = context.WithTimeout(p.kill, drain)
	if err != nil {
		return rest, cancel, err
	}
	grace, done := context.WithTimeout(rest, min(httpGrace, drain/2))
	defer done()
	if srv.ShutdownWithContext(grace) != nil {
		p.log.Warn("requests were still under way", "connections", srv.GetOpenConnectionsCount())
	}
	return rest, cancel, nil
}

// listenAndServe returns nil when the first signal has come.
func (p *process) listenAndServe(addr address, on listening, srv *fasthttp.Server) error {
	ln, err := net.Listen("tcp", string(addr))
	if err != nil {
		return fmt.Errorf("listen on %q: %w", addr, err)
	}
	srv.CloseOnShutdown = true
	ended, scheme := make(chan error, 1), "http"
	if srv.TLSConfig != nil {
		scheme = "https"
		go func() { ended <- srv.ServeTLS(on(ln), "", "") }()
	} else {
		go func() { ended <- srv.Serve(on(ln)) }()
	}
	fmt.Fprintf(p.stdout, "listening on %s://%s\n", scheme, ln.Addr())
	select {
	case err := <-ended:
		return fmt.Errorf("serve on %s: %w", ln.Addr(), err)
	case <-p.stop.Done():
		return nil
	}
}
