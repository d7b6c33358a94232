//go:build cgo

package kernel

// #include "h5perf_clock.h"
import "C"

import (
	"os"
	"strings"
	"sync"
)

// clockSource names the clock that the kernel tells time by: it uses the counter of the processors only if it found that it counts
// steadily and the same on all of them.
const clockSource = "/sys/devices/system/clocksource/clocksource0/current_clocksource"

// tick is how long a tick of the counter of the processors is, in nanoseconds times 2^32; 0: it cannot be used.
var tick = sync.OnceValue(func() uint64 {
	if name, err := os.ReadFile(clockSource); err != nil || strings.TrimSpace(string(name)) != "tsc" {
		return 0
	}
	return uint64(C.h5perf_tick())
})
