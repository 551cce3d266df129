//go:build !linux

package child

import "syscall"

// attributes asks for nothing: only Linux ties a child's life to ours.
func attributes() *syscall.SysProcAttr { return nil }
