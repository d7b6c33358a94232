package h5

/*
#cgo linux LDFLAGS: -ldl
#define _GNU_SOURCE
#include <dlfcn.h>

// Looked up by name: the address of the function in this program may be that of a stub.
static const char *library(void)
{
    void *function = dlsym(RTLD_DEFAULT, "H5open");
    Dl_info info;
    return function && dladdr(function, &info) ? info.dli_fname : "";
}
*/
import "C"

import "path/filepath"

// Library is the path of the file that the library in use was loaded from; "" where that cannot be told.
func Library() string {
	path := C.GoString(C.library())
	if target, err := filepath.EvalSymlinks(path); err == nil && path != "" {
		return target
	}
	return path
}
