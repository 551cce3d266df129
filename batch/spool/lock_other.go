//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package spool

import (
	"errors"
	"os"
	"runtime"
)

// flock refuses: without a lock two processes could send and delete the same segments.
func flock(*os.File) error {
	return errors.New("no lock on directories is known for " + runtime.GOOS)
}
