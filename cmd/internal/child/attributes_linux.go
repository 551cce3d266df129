package child

import "syscall"

// attributes ties the child's life to ours, and keeps the Ctrl-C of a terminal from it: whoever
// started the child ends it, when what it is needed for is over.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
