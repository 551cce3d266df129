package main

import (
	"fmt"
	"net"

	"github.com/rapidrest/rapidrest/cmd/internal/bench"
)

// nullCommand is the responder that bench measures the client's ceiling against.
type nullCommand struct {
	Listen address `help:"Address to listen on, host:port; port 0 takes a free one." default:"127.0.0.1:8080"`
}

// Run answers without looking, until a signal comes.
func (c *nullCommand) Run(p *process) error {
	ln, err := net.Listen("tcp", string(c.Listen))
	if err != nil {
		return fmt.Errorf("listen on %q: %w", c.Listen, err)
	}
	fmt.Fprintf(p.stdout, "listening on http://%s\n", ln.Addr())
	return bench.ServeNull(p.stop, ln)
}
