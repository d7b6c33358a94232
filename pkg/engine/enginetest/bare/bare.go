//go:build cgo && !nompi

// Package bare is what the engines are measured against: loops in C that do nothing but the calls of an API, one process
// through a contiguous file of its own. Test files cannot hold C.
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

// API is a way to move bytes.
type API string

// The APIs: pwrite and pread; MPI_File_write_at and read_at; H5Dwrite and H5Dread by the drivers mpio and sec2.
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

// Open creates a file of bytes to write to, or opens one to read from. Calls move size bytes each, from or to the places of the
// pool in turn, which must not be Go heap memory.
func Open(api API, path string, write bool, bytes, size uint64, pool []byte) (*Loop, error) {
	l := &Loop{api, (*C.bare)(C.calloc(1, C.sizeof_bare))}
	l.c.pool, l.c.size, l.c.slots = (*C.uchar)(unsafe.Pointer(unsafe.SliceData(pool))), C.uint64_t(size), C.uint64_t(uint64(len(pool))/size)
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

// Transfer does n calls, from the start of the file on.
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

func (l *Loop) failed(what string, rc C.int) error {
	if rc == 0 {
		return nil
	}
	return fmt.Errorf("bare loop: %s by %s failed with %d", what, l.api, int(rc))
}
