package h5

// #cgo linux LDFLAGS: -ldl
// #include "calls.h"
import "C"

import "path/filepath"

// Library returns the path of the file from which the library in use was loaded, with symbolic links resolved; "" if it
// is unknown.
func Library() string {
	path := C.GoString(C.h5perf_library())
	if target, err := filepath.EvalSymlinks(path); err == nil && path != "" {
		return target
	}
	return path
}
