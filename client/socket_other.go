//go:build !linux

package client

import "net"

// A socket reads a connection. It has no writes that never wait: every write is left to the
// second goroutine.
type socket struct{ net.Conn }

func newSocket(conn net.Conn) *socket { return &socket{conn} }

func (*socket) try([]byte) (n int, err error) { return 0, nil }
