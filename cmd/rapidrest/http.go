package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/valyala/fasthttp"
)

// httpGrace is how long requests under way may take to end once a signal has come. What is
// still open then is left to itself, so that a client that went to sleep in the middle of a
// request does not take the time that the buffers need.
const httpGrace = 5 * time.Second

// serveHTTP listens on addr, says so, and serves, with TLS where srv has a configuration for it, until a signal or a fault; then it takes no
// more connections and waits for the requests under way.
func (p *process) serveHTTP(addr address, srv *fasthttp.Server) error {
	ln, err := net.Listen("tcp", string(addr))
	if err != nil {
		return fmt.Errorf("listen on %q: %w", addr, err)
	}
	srv.CloseOnShutdown = true
	ended, scheme := make(chan error, 1), "http"
	if srv.TLSConfig != nil {
		scheme = "https"
		go func() { ended <- srv.ServeTLS(ln, "", "") }()
	} else {
		go func() { ended <- srv.Serve(ln) }()
	}
	fmt.Fprintf(p.stdout, "listening on %s://%s\n", scheme, ln.Addr())
	select {
	case err := <-ended:
		return fmt.Errorf("serve on %s: %w", ln.Addr(), err)
	case <-p.stop.Done():
	}
	grace, cancel := context.WithTimeout(p.kill, httpGrace)
	defer cancel()
	if err := srv.ShutdownWithContext(grace); err != nil {
		p.log.Warn("requests were still under way", "after", httpGrace)
	}
	return nil
}
