//go:build cgo

package output

// #include "closed.h"
import "C"

// closedAtStart reports whether a standard stream was closed when the process started.
func closedAtStart(fd int) bool { return C.h5perf_closed_at_start(C.int(fd)) != 0 }
