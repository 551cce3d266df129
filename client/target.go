package client

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
)

// A target is a parsed URL: whom to dial, and what to write into requests.
type target struct {
	network string // tcp or unix
	address string // host:port, or the path of the socket
	host    string // for the Host header, and the name that TLS verifies
	path    string // the request target, with {user} and {n} still in it
	tls     bool
}

// parseTarget takes a URL apart by hand: net/url would escape the braces, and a load generator
// sends the target as it was written.
func parseTarget(url string) (target, error) {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return target{}, fmt.Errorf("client: URL %q has no scheme; http, https and unix are known", url)
	}
	var t target
	switch strings.ToLower(scheme) {
	case "http", "https":
		t = httpTarget(rest, strings.EqualFold(scheme, "https"))
	case "unix":
		socket, path, _ := strings.Cut(rest, ":")
		t = target{network: "unix", address: socket, host: "localhost", path: path}
	default:
		return target{}, fmt.Errorf("client: scheme %q in URL %q; http, https and unix are known", scheme, url)
	}
	if t.path == "" || t.path[0] == '?' {
		t.path = "/" + t.path
	}
	return t, t.check(url)
}

func httpTarget(rest string, secure bool) target {
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	t := target{network: "tcp", host: rest[:end], path: rest[end:], tls: secure}
	t.address = t.host
	if _, _, err := net.SplitHostPort(t.host); err != nil {
		port := "80"
		if secure {
			port = "443"
		}
		t.address = net.JoinHostPort(strings.Trim(t.host, "[]"), port)
	}
	return t
}

func (t *target) check(url string) error {
	if t.host == "" || t.address == "" || strings.ContainsAny(t.host, "@ {}\\") {
		return fmt.Errorf("client: URL %q names no host", url)
	}
	if t.path[0] != '/' {
		return fmt.Errorf("client: the target %q in URL %q does not begin with a slash", t.path, url)
	}
	for i := range len(t.path) {
		if c := t.path[i]; c <= ' ' || c >= 0x7f || c == '#' {
			return fmt.Errorf("client: %q at byte %d of the target %q must be percent-encoded", c, i, t.path)
		}
	}
	return nil
}

// dial opens a connection and, for https, completes the handshake.
func (t *target) dial(ctx context.Context, config *tls.Config) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, t.network, t.address)
	if err != nil || !t.tls {
		return conn, err
	}
	if config == nil {
		config = &tls.Config{}
	}
	config = config.Clone()
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(t.address)
	}
	config.NextProtos = []string{"http/1.1"}
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, fmt.Errorf("client: TLS with %s: %w", t.address, err)
	}
	return secure, nil
}
