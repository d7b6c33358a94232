//go:build cgo

package stream

// int h5perf_closed_at_start(int fd);
import "C"

// closedAtStart reports whether a standard stream was closed when the process began.
func closedAtStart(fd int) bool { return C.h5perf_closed_at_start(C.int(fd)) != 0 }
