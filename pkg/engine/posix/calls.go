//go:build cgo

package posix

// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "calls.h"
import "C"

import (
	"unsafe"

	"h5perf/pkg/engine"
)

// CallCounter counts the calls of the C library. Calls that Go makes itself are not among them, except those of this
// engine.
func CallCounter() engine.CallCounter { return callCounter{} }

type callCounter struct{}

// Start starts counting.
func (callCounter) Start(dir string) {
	path := C.CString(dir)
	defer C.free(unsafe.Pointer(path))
	C.h5perf_posix_start(path)
	isCounting = true
}

// Stop ends counting.
func (callCounter) Stop() []engine.FunctionCalls {
	isCounting = false
	return engine.ReadCalls(unsafe.Pointer(C.h5perf_posix_stop()), C.H5PERF_POSIX_COUNT)
}

// isCounting says that calls are counted now.
var isCounting bool

// The functions that this engine calls by itself, not through the C library.
const (
	openCall  = C.H5PERF_open
	closeCall = C.H5PERF_close
	fsyncCall = C.H5PERF_fsync
)

// countOwnCall counts a call of this engine for a data file. A call of open must have succeeded; close and other
// functions are counted before they are called.
func countOwnCall(function, fd int) {
	if isCounting {
		C.h5perf_posix_own(C.int(function), C.int(fd))
	}
}
