package h5

// #cgo linux LDFLAGS: -ldl
// #include "calls.h"
import "C"

import "path/filepath"

// Library is the path of the file that the library in use was loaded from; "" where that cannot be told.
func Library() string {
	path := C.GoString(C.h5perf_library())
	if target, err := filepath.EvalSymlinks(path); err == nil && path != "" {
		return target
	}
	return path
}
