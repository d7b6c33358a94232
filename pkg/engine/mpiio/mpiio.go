//go:build cgo && !nompi

// Package mpiio is the engine of MPI-IO. Independent access uses explicit offsets, one call for each run. Collective
// access uses one call for each transfer, with a file view where a transfer has several runs.
package mpiio

// #cgo CFLAGS: -I${SRCDIR}/../kernel -O2 -Wall -Wextra
// #include <stdlib.h>
// #include "mpiio.h"
import "C"

import (
	"fmt"
	"math"
	"path/filepath"
	"unsafe"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/kernel"
	"h5perf/pkg/engine/mpiio/mpiioconf"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
)

// New returns the engine. MPI must be initialised before it is prepared.
func New() engine.Engine { return mpiio{} }

type mpiio struct{}

// Prepare makes the datatypes, the hints and the transfer loop of the case.
func (mpiio) Prepare(spec engine.Spec) (engine.Session, error) {
	if err := check(spec); err != nil {
		return nil, fmt.Errorf("MPI-IO: %w", err)
	}
	asked, err := mpi.NewInfo(spec.MPIIO.Info())
	if err != nil {
		return nil, fmt.Errorf("MPI-IO: %w", err)
	}
	k, err := kernel.New(&spec)
	if err != nil {
		asked.Free()
		return nil, fmt.Errorf("MPI-IO: %w", err)
	}
	c := (*C.h5perf_mpiio)(C.calloc(1, C.sizeof_h5perf_mpiio)) // without memory, cgo ends the program
	c.kernel = (*C.h5perf_kernel)(k.Pointer())
	c.comm = *(*C.MPI_Comm)(spec.Comm.Handle())
	c.asked = *(*C.MPI_Info)(asked.Handle())
	if spec.Collective {
		c.collective = 1
		c.view = map[mpiioconf.FileView]C.int{
			mpiioconf.NoView: C.VIEW_NONE, mpiioconf.PerDataset: C.VIEW_DATASET, mpiioconf.PerTransfer: C.VIEW_TRANSFER,
		}[view(spec)]
	}
	C.h5perf_mpiio_prepare(c)
	return &session{c: c, kernel: k, asked: asked, spec: spec}, nil
}

// check returns an error if MPI-IO cannot do what spec asks for.
func check(spec engine.Spec) error {
	if spec.Comm.Handle() == nil {
		return fmt.Errorf("%w without MPI", engine.ErrUnsupported)
	}
	if spec.Direct {
		return fmt.Errorf("O_DIRECT: %w: MPI_File_open has no such mode", engine.ErrUnsupported)
	}
	if !spec.Collective {
		return nil
	}
	used := view(spec)
	if used == mpiioconf.NoView && spec.Nest.RunsPerTransfer() > 1 {
		return fmt.Errorf("a collective transfer without an MPI file view must be one contiguous piece, "+
			"but this one has %d pieces: %w", spec.Nest.RunsPerTransfer(), engine.ErrUnsupported)
	}
	for _, levels := range [][]pattern.Level{spec.Nest.Runs, spec.Nest.Transfers} {
		for _, l := range levels {
			if used != mpiioconf.NoView && l.Count > math.MaxInt32 {
				return fmt.Errorf("an MPI datatype would have %d parts, but the maximum is %d: %w",
					l.Count, math.MaxInt32, engine.ErrUnsupported)
			}
		}
	}
	return nil
}

// view returns the file view of collective transfers.
func view(spec engine.Spec) mpiioconf.FileView { return spec.MPIIO.FileView(spec.Nest, spec.Region) }

// session is the engine prepared for a case. One file is open at a time.
type session struct {
	c      *C.h5perf_mpiio
	kernel *kernel.Kernel
	asked  mpi.Info
	spec   engine.Spec
	done   engine.Progress // calls and views of closed datasets
}

// Open creates or opens a file. A file that is opened for writing is truncated. Collective.
//
// Implements: MPI_File_open
func (s *session) Open(path string, op engine.Op) (engine.File, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	if rc := C.h5perf_mpiio_open(s.c, name, writes(op)); rc != C.MPI_SUCCESS {
		return nil, s.failed(path, rc)
	}
	return &file{s, path, op}, nil
}

// writes returns 1 for engine.Write and 0 for engine.Read.
func writes(op engine.Op) C.int {
	if op == engine.Write {
		return 1
	}
	return 0
}

// FileBytes returns the size of all datasets, which is exact.
func (s *session) FileBytes() (uint64, bool) {
	return uint64(s.spec.Datasets) * s.spec.DatasetBytes, true
}

// Names returns the file itself.
func (s *session) Names(path string) []string { return []string{filepath.Base(path)} }

// Call returns the name of one of the four functions with explicit offsets: write or read, independent or collective.
func (s *session) Call(op engine.Op) string {
	return C.GoString(C.h5perf_mpiio_call(s.c, writes(op)))
}

// Effective returns the hints of the last file, and the calls and views of closed datasets.
func (s *session) Effective() engine.Effective {
	return engine.Effective{
		Hints: mpi.Hints(unsafe.Pointer(&s.c.used)), SetViews: s.done.SetViews, Calls: s.done.Calls,
	}
}

// CollectiveSync returns true: MPI_File_sync is collective.
func (s *session) CollectiveSync() bool { return true }

// Close releases datatypes, hints and the loop.
func (s *session) Close() error {
	C.h5perf_mpiio_release(s.c)
	C.free(unsafe.Pointer(s.c))
	s.c = nil
	s.asked.Free()
	s.kernel.Free()
	return nil
}

// failed returns the error of a call that moves no data and returned rc.
func (s *session) failed(path string, rc C.int) error {
	return &engine.Error{Call: C.GoString(s.c.call), Path: path, Err: mpi.ErrorOf(int(rc))}
}
