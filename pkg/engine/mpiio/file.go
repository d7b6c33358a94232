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

// openedFile is the state of a file, open or not.
type openedFile struct {
	c    *C.h5perf_mpiio_file
	path string // "": no file is open
}

// writeFlag returns 1 for workload.Write and 0 for workload.Read.
func writeFlag(op workload.Op) C.int {
	if op == workload.Write {
		return 1
	}
	return 0
}

// openFile creates or opens a file. A file that is opened for writing is truncated, unless b.Existing is set.
// Collective.
//
// Implements: MPI_File_open
func (f *openedFile) openFile(b *workload.Batch) error {
	name := C.CString(b.Path)
	defer C.free(unsafe.Pointer(name))
	how := C.int(C.OPEN_NEW)
	switch {
	case b.Op == workload.Read:
		how = C.OPEN_READ
	case b.Existing:
		how = C.OPEN_CHANGE
	}
	f.path = b.Path
	err := f.callError(C.h5perf_mpiio_open(f.c, name, how))
	if err != nil {
		f.path = ""
	}
	return err
}

// syncFile writes the data of the file to stable storage. Collective.
//
// Implements: MPI_File_sync
func (f *openedFile) syncFile() error { return f.callError(C.h5perf_mpiio_sync(f.c)) }

// closeFile closes the file. Collective.
//
// Implements: MPI_File_close
func (f *openedFile) closeFile() error {
	err := f.callError(C.h5perf_mpiio_close(f.c))
	f.path = ""
	return err
}

// callError returns the error of a call that returned rc and does not transfer data; nil if the call succeeded.
func (f *openedFile) callError(rc C.int) error {
	if rc == C.MPI_SUCCESS {
		return nil
	}
	return &engine.CallError{Call: C.GoString(f.c.call), Path: f.path, Err: mpi.ErrorOf(int(rc))}
}

// transferMoves transfers the data of the moves of a batch, between memory and a number of datasets, in one call of the
// C loop.
func (s *session) transferMoves(f *openedFile, b *workload.Batch, datasets uint64) error {
	begins := C.int(0)
	if b.BeginsAndEnds {
		begins = 1
	}
	last := C.h5perf_mpiio_transfer(&s.moves[b.Move], C.uint64_t(b.NumMoves()), f.c, writeFlag(b.Op),
		C.uint64_t(b.NumTransfers), C.uint64_t(datasets), begins)
	k := s.kernels.KernelOf(b.Move + int(last))
	if k.Stopped() {
		return engine.ErrStopped
	}
	code, offset, bytes, moved := k.Failure()
	if code == 0 {
		return nil
	}
	e := &engine.CallError{
		Call: C.GoString(f.c.call), Path: f.path, Offset: offset, Bytes: bytes, Moved: moved,
		Err: engine.ErrShortTransfer,
	}
	switch {
	case code > 0:
		e.Err = mpi.ErrorOf(code)
	case code == C.NOT_READ:
		e.Err = engine.ErrNotRead
	}
	return e
}
