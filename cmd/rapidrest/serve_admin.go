package main

import (
	"fmt"
	"io"
	"net"

	"github.com/rapidrest/rapidrest/cmd/internal/server"
)

// serveAdminFlags are those of the operators' port.
type serveAdminFlags struct {
	Admin optionalAddress `help:"Address of /metrics (Prometheus), /live, /ready and /debug/pprof/, host:port; empty: none." default:"127.0.0.1:8081"`
}

// startAdmin serves the operators' port, and says where; Close stops it.
func (f *serveAdminFlags) startAdmin(p *process, s *server.Server) (io.Closer, error) {
	if f.Admin == "" {
		return io.NopCloser(nil), nil
	}
	ln, err := net.Listen("tcp", string(f.Admin))
	if err != nil {
		return nil, fmt.Errorf("--admin: %w", err)
	}
	srv := s.Admin()
	go srv.Serve(ln)
	fmt.Fprintf(p.stdout, "admin on http://%s\n", ln.Addr())
	return srv, nil
}
