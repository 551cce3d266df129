//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package spool

import (
	"os"
	"syscall"
)

// flock locks an open file against other processes and other openings of it, without waiting. The
// lock ends with the file, and so with the process, however that ends.
func flock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
