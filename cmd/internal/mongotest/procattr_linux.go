package mongotest

import "syscall"

// procAttr ties the life of the database to ours: when a test times out, the
// test binary panics and no cleanup runs.
func procAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
