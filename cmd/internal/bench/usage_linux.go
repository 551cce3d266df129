package bench

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the CPU time of a process, all its threads, ended ones too, in user and system.
// It reads the process's CPU clock, which counts nanoseconds; /proc/PID/stat counts ticks of
// 10 ms. The number of that clock is made as clock_getcpuclockid(3) makes it.
func cpuTime(pid int) (time.Duration, error) {
	const scheduled = 2 // CPUCLOCK_SCHED of linux/posix-timers.h
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|scheduled, &ts); err != nil {
		return 0, fmt.Errorf("bench: the CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(ts.Nano()), nil
}

// memory is the resident memory of a process in bytes, now and at its peak.
func memory(pid int) (now, peak int64) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0
	}
	return statusField(status, "VmRSS:"), statusField(status, "VmHWM:")
}

// statusField reads a line such as "VmRSS:     1234 kB" of /proc/PID/status.
func statusField(status []byte, name string) int64 {
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			if fields := bytes.Fields(rest); len(fields) > 0 {
				kib, _ := strconv.ParseInt(string(fields[0]), 10, 64)
				return kib << 10
			}
		}
	}
	return 0
}

// cpuModel is what the kernel calls the processor.
func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(info) {
		if name, value, ok := bytes.Cut(line, []byte(":")); ok && string(bytes.TrimSpace(name)) == "model name" {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}
