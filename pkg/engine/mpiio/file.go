//go:build cgo && !nompi

package mpiio

// #include "mpiio.h"
import "C"

import (
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
)

// file is an open file.
type file struct {
	s    *session
	path string
	op   engine.Op
}

// Dataset starts the transfers of dataset k. If one view serves the whole dataset, it is set here.
func (f *file) Dataset(k int, tag uint64, stamping bool) (engine.Dataset, error) {
	base := uint64(k) * f.s.spec.DatasetBytes
	f.s.kernel.Begin(f.op, base, f.s.spec.Ordinal(k, 0), tag, stamping)
	if rc := C.h5perf_mpiio_begin(f.s.c); rc != C.MPI_SUCCESS {
		return nil, f.s.failed(f.path, rc)
	}
	return &dataset{f}, nil
}

// Sync makes the file durable. Collective.
//
// Implements: MPI_File_sync
func (f *file) Sync() error {
	if rc := C.h5perf_mpiio_sync(f.s.c); rc != C.MPI_SUCCESS {
		return f.s.failed(f.path, rc)
	}
	return nil
}

// Close closes the file. Collective.
//
// Implements: MPI_File_close
func (f *file) Close() error {
	if rc := C.h5perf_mpiio_close(f.s.c); rc != C.MPI_SUCCESS {
		return f.s.failed(f.path, rc)
	}
	return nil
}

// dataset is an open dataset. The state of its transfers is in the kernel of the session.
type dataset struct {
	f *file
}

// Transfer does the next n transfers in one call of the C loop.
func (d *dataset) Transfer(n uint64) error {
	C.h5perf_mpiio_transfer(d.f.s.c, C.uint64_t(n))
	if d.f.s.kernel.Stopped() {
		return engine.ErrStopped
	}
	code, offset, bytes, moved := d.f.s.kernel.Failure()
	if code == 0 {
		return nil
	}
	e := &engine.Error{
		Call: C.GoString(d.f.s.c.call), Path: d.f.path, Offset: offset, Bytes: bytes, Moved: moved,
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

// Progress returns what was done.
func (d *dataset) Progress() engine.Progress { return d.f.s.kernel.Progress() }

// Close adds calls and views to those of the session.
func (d *dataset) Close() error {
	p := d.f.s.kernel.Progress()
	d.f.s.done.Calls += p.Calls
	d.f.s.done.SetViews += p.SetViews
	return nil
}
