//go:build cgo && !nompi

package mpiio

// #include <stdlib.h>
// #include "mpiio.h"
import "C"

import (
	"unsafe"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/workload"
)

// file is the file that is open.
type file struct {
	c    *C.h5perf_mpiio_file
	path string // "": none is open
}

// writes returns 1 for workload.Write and 0 for workload.Read.
func writes(op workload.Op) C.int {
	if op == workload.Write {
		return 1
	}
	return 0
}

// open creates or opens a file. A file that is opened for writing is truncated. Collective.
//
// Implements: MPI_File_open
func (f *file) open(b *workload.Batch) error {
	name := C.CString(b.Path)
	defer C.free(unsafe.Pointer(name))
	f.path = b.Path
	err := f.failed(C.h5perf_mpiio_open(f.c, name, writes(b.Op)))
	if err != nil {
		f.path = ""
	}
	return err
}

// sync makes the file durable. Collective.
//
// Implements: MPI_File_sync
func (f *file) sync() error { return f.failed(C.h5perf_mpiio_sync(f.c)) }

// close closes the file. Collective.
//
// Implements: MPI_File_close
func (f *file) close() error {
	err := f.failed(C.h5perf_mpiio_close(f.c))
	f.path = ""
	return err
}

// failed returns the error of a call that moves no data and returned rc; nil if it did not fail.
func (f *file) failed(rc C.int) error {
	if rc == C.MPI_SUCCESS {
		return nil
	}
	return &engine.Error{Call: C.GoString(f.c.call), Path: f.path, Err: mpi.ErrorOf(int(rc))}
}

// transfer does the next transfers of a batch in one call of the C loop.
func (s *session) transfer(b *workload.Batch) error {
	C.h5perf_mpiio_transfer(s.moves[b.Move], writes(b.Op), C.uint64_t(b.Times))
	k := s.kernels.Of(b.Move)
	if k.Stopped() {
		return engine.ErrStopped
	}
	code, offset, bytes, moved := k.Failure()
	if code == 0 {
		return nil
	}
	e := &engine.Error{
		Call: C.GoString(s.file.c.call), Path: s.file.path, Offset: offset, Bytes: bytes, Moved: moved,
		Err: engine.ErrShort,
	}
	switch {
	case code > 0:
		e.Err = mpi.ErrorOf(code)
	case code == C.NOT_READ:
		e.Err = engine.ErrNotRead
	}
	return e
}
