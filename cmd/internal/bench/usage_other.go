//go:build !linux

package bench

import "time"

// cpuTime is not known here: the CPU columns stay empty.
func cpuTime(int) (time.Duration, error) { return 0, nil }

func memory(int) (now, peak int64) { return 0, 0 }

func cpuModel() string { return "" }
