//go:build !unix

package server

import "os"

// lockFile does nothing: each collection's spool has a lock of its own.
func lockFile(*os.File) error { return nil }
