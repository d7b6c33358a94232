//go:build cgo

package engine

// #include "h5perf_clock.h"
import "C"

import (
	"os"
	"strings"
	"sync"
)

// clockSourceFile is the file that names the clock source of Linux. The name is "tsc" only if Linux has found that the
// time stamp counter has a constant rate and is the same on all processors.
const clockSourceFile = "/sys/devices/system/clocksource/clocksource0/current_clocksource"

// tickDuration returns the duration of one tick of the time stamp counter, in nanoseconds times 2^32. It returns 0 if
// the counter cannot be used as a clock.
var tickDuration = sync.OnceValue(func() uint64 {
	if name, err := os.ReadFile(clockSourceFile); err != nil || strings.TrimSpace(string(name)) != "tsc" {
		return 0
	}
	return uint64(C.h5perf_tick())
})
