//go:build cgo

// Package hdf5 is the engine of parallel HDF5: one H5Dwrite or H5Dread for each transfer, of a hyperslab that is selected
// once and then moved. Dataset k, counted from 0, is named Dataset_k+1.
//
// Files are made with the library's defaults but for driver, alignment, chunks and collective mode, so that their layout is
// that of HDF5's own h5perf. With Spec.MPIPosix all processes use the sec2 driver, as the MPI-POSIX driver of HDF5 before
// 1.8.13 did, in files that the first process has made complete.
package hdf5

/*
#cgo CFLAGS: -I${SRCDIR}/../kernel -I${SRCDIR}/../../h5 -O2 -Wall -Wextra
#cgo nompi CFLAGS: -DH5PERF_NOMPI
#include <stdlib.h>
#include "loop.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"io"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/kernel"
	"h5perf/pkg/h5"
)

// New makes the engine.
func New() engine.Engine { return parallel{} }

type parallel struct{}

// Prepare makes the property lists, dataspaces and the transfer loop of the case.
func (parallel) Prepare(spec engine.Spec) (engine.Session, error) {
	if err := check(spec); err != nil {
		return nil, err
	}
	s := &session{spec: spec}
	if err := s.make(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// session is the engine prepared for a case.
type session struct {
	spec   engine.Spec
	kernel *kernel.Kernel
	loop   *C.h5perf_hdf5
	made   []io.Closer // objects of the library

	fapl, dcpl, dapl *hdf5.PropList
	space            *hdf5.Dataspace

	hints []engine.Hint // of the first file
	calls uint64        // of closed datasets
}

func (s *session) make() error {
	k, err := kernel.New(s.spec.Sequence, s.spec.Nest, s.spec.Buffer, s.spec.Stop)
	if err != nil {
		return err
	}
	s.kernel = k
	s.loop = (*C.h5perf_hdf5)(C.calloc(1, C.sizeof_h5perf_hdf5)) // cgo ends the program when there is no memory
	s.loop.kernel = (*C.h5perf_kernel)(k.Pointer())
	for _, part := range []func() error{s.access, s.creation, s.transfer, s.spaces} {
		if err := part(); err != nil {
			return fmt.Errorf("prepare HDF5: %w", err)
		}
	}
	return nil
}

// spaces makes the dataspaces of the buffer and of the dataset, the latter with the first transfer selected.
func (s *session) spaces() (err error) {
	seq := s.spec.Sequence
	memory, err := s.newSpace(seq.Buffer())
	if err != nil {
		return err
	}
	if s.space, err = s.newSpace(seq.Dims); err != nil {
		return err
	}
	slab := seq.Slab
	if err := s.space.SelectHyperslab(uints(slab.Start), uints(slab.Stride), uints(slab.Count), uints(slab.Block)); err != nil {
		return h5.Failed("H5Sselect_hyperslab")
	}
	s.loop.memory, s.loop.space = C.hid_t(memory.ID()), C.hid_t(s.space.ID())
	return nil
}

func (s *session) newSpace(dims []uint64) (*hdf5.Dataspace, error) {
	space, err := hdf5.CreateSimpleDataspace(uints(dims), nil)
	if err != nil {
		return nil, h5.Failed("H5Screate_simple")
	}
	s.made = append(s.made, space)
	return space, nil
}

// uints converts numbers to the type that the binding takes.
func uints(numbers []uint64) []uint {
	out := make([]uint, len(numbers))
	for i, n := range numbers {
		out[i] = uint(n)
	}
	return out
}

// FileBytes is what the data need; HDF5 adds metadata, alignment and parts of chunks.
func (s *session) FileBytes() (uint64, bool) {
	return uint64(s.spec.Datasets) * s.spec.DatasetBytes, false
}

// Effective tells the hints of the first file, and the calls of closed datasets.
func (s *session) Effective() engine.Effective {
	e := engine.Effective{Hints: s.hints, Calls: s.calls, Driver: "mpio"}
	if s.spec.MPIPosix {
		e.Driver = "sec2 (MPI-POSIX)"
	}
	if s.spec.Collective {
		used := h5.Account(unsafe.Pointer(&s.loop.used))
		e.Collective = &engine.CollectiveUsed{
			Collective: used.Collective, Mixed: used.Mixed, Independent: used.Independent,
			Optimize: used.Optimizations, LocalCause: used.LocalCauses, GlobalCause: used.GlobalCauses,
		}
	}
	return e
}

// Close releases what was made, also after a part of it.
func (s *session) Close() error {
	var all error
	for _, m := range s.made {
		if err := m.Close(); err != nil {
			all = errors.Join(all, h5.Failed("close of a list or dataspace"))
		}
	}
	C.free(unsafe.Pointer(s.loop))
	if s.kernel != nil {
		s.kernel.Free()
	}
	return all
}
