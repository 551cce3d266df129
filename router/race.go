//go:build race

package router

import (
	"runtime"
	"unsafe"
)

// The race detector does not see that a context at an address comes after the one that was there before:
// the collector stands between the two. So it is told that who finds a Ctx by an address comes after
// who left it.

func raceLeft(c *Ctx) { runtime.RaceReleaseMerge(unsafe.Pointer(c)) }

func raceFound(c *Ctx) {
	if c != nil {
		runtime.RaceAcquire(unsafe.Pointer(c))
	}
}
