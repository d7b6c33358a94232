package bench

import (
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// NodeClock returns the time of CLOCK_MONOTONIC: the time since a point in the past that is the same for all processes
// of a node, or of a time namespace.
func NodeClock() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // every Linux has this clock
	return time.Duration(t.Nano())
}

// timeNamespace returns a number that identifies the time namespace of this process on its node; 0 if the kernel has
// none. Each time namespace has its own clock.
func timeNamespace() int {
	var s unix.Stat_t
	if unix.Stat("/proc/self/ns/time", &s) != nil {
		return 0
	}
	return int(s.Ino & math.MaxInt32)
}
