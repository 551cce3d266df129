//go:build !linux

package mongotest

import "syscall"

// procAttr asks for nothing special: only Linux can tie a child's life to ours.
func procAttr() *syscall.SysProcAttr { return nil }
