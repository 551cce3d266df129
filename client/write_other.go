//go:build !unix

package client

import "net"

// A writer makes writes that never wait. There are none here: every write is left to the
// second goroutine.
type writer struct{}

func newWriter(net.Conn) *writer { return &writer{} }

func (*writer) try([]byte) (n int, err error) { return 0, nil }
