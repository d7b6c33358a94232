//go:build cgo

package process

// #cgo LDFLAGS: -Wl,--wrap=pthread_create -ldl
// #include "quiet.h"
import "C"

import (
	"os"
	"runtime"
)

// limited reports whether the runtime has the limit of this package. Then its variable is not passed on to other
// programs.
var limited = C.h5perf_quiet_limited() != 0 && os.Unsetenv("GOMAXPROCS") == nil

// UseAllProcessors lets the Go runtime use all processors, for commands that do not measure. If the environment
// variable GOMAXPROCS is set, it has precedence.
func UseAllProcessors() {
	if limited {
		runtime.SetDefaultGOMAXPROCS()
	}
}
