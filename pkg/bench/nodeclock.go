package bench

import (
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// NodeClock returns the time since a point in the past that is the same for all processes of a node, or of a time
// namespace: that of CLOCK_MONOTONIC.
func NodeClock() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // every Linux has this clock
	return time.Duration(t.Nano())
}

// timeNamespace returns a number that tells the time namespace of this process from others of the node; 0 if the kernel
// has none. Each has a clock of its own.
func timeNamespace() int {
	var s unix.Stat_t
	if unix.Stat("/proc/self/ns/time", &s) != nil {
		return 0
	}
	return int(s.Ino & math.MaxInt32)
}
