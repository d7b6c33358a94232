//go:build cgo && !nompi

// Package bare has loops in C with nothing but the calls of an API, to compare engines with. They work in one process,
// on a contiguous file. It is a package because test files cannot use cgo.
package bare

/*
#cgo CFLAGS: -O2 -Wall -Wextra
#include <stdlib.h>
#include "loop.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// API names an API.
type API string

// The APIs: pwrite and pread; MPI_File_write_at and MPI_File_read_at; H5Dwrite and H5Dread with the file drivers mpio
// and sec2.
const (
	POSIX API = "posix"
	MPIIO API = "mpiio"
	MPIO  API = "hdf5 mpio"
	Sec2  API = "hdf5 sec2"
)

// Loop is an open file.
type Loop struct {
	api API
	c   *C.bare
}

// Open creates a file to write, or opens one to read. bytes is the size of its data. Each call moves size bytes; call n
// uses part n mod len(pool)/size of the pool, which must not be in the Go heap.
func Open(api API, path string, write bool, bytes, size uint64, pool []byte) (*Loop, error) {
	l := &Loop{api, (*C.bare)(C.calloc(1, C.sizeof_bare))}
	l.c.pool = (*C.uchar)(unsafe.Pointer(unsafe.SliceData(pool)))
	l.c.size, l.c.slots = C.uint64_t(size), C.uint64_t(uint64(len(pool))/size)
	if write {
		l.c.write = 1
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var rc C.int
	switch api {
	case POSIX:
		rc = C.bare_open_posix(l.c, name)
	case MPIIO:
		rc = C.bare_open_mpiio(l.c, name)
	case MPIO:
		rc = C.bare_open_hdf5(l.c, name, C.uint64_t(bytes), 1)
	default:
		rc = C.bare_open_hdf5(l.c, name, C.uint64_t(bytes), 0)
	}
	return l, l.failed("open", rc)
}

// Transfer does n calls, one after another from the start of the file.
func (l *Loop) Transfer(n uint64) error {
	switch l.api {
	case POSIX:
		return l.failed("transfer", C.bare_run_posix(l.c, C.uint64_t(n)))
	case MPIIO:
		return l.failed("transfer", C.bare_run_mpiio(l.c, C.uint64_t(n)))
	default:
		return l.failed("transfer", C.bare_run_hdf5(l.c, C.uint64_t(n)))
	}
}

// Close closes the file.
func (l *Loop) Close() error {
	defer C.free(unsafe.Pointer(l.c))
	return l.failed("close", C.bare_close(l.c))
}

// failed returns the error of a return code; nil for 0.
func (l *Loop) failed(what string, rc C.int) error {
	if rc == 0 {
		return nil
	}
	return fmt.Errorf("bare loop: %s by %s failed with %d", what, l.api, int(rc))
}
