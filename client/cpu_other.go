//go:build !unix

package client

import "time"

// cpuTime is not known here; the result then has no CPU figures.
func cpuTime() time.Duration { return 0 }
