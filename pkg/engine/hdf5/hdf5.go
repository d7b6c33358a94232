//go:build cgo

// Package hdf5 is the engine of HDF5: one H5Dwrite or H5Dread for each transfer, of a hyperslab that is selected once and
// then moved. Dataset k, counted from 0, is named Dataset_k+1.
//
// Files are made with the library's defaults but for what Spec has, so that their layout is that of HDF5's own h5perf and
// h5perf_serial. With mpiposix all processes use the sec2 driver, as the MPI-POSIX driver of HDF5 before 1.8.13 did, in
// files that the first process has made complete. The file drivers of the serial tool are for one process, without MPI.
package hdf5

/*
#cgo CFLAGS: -I${SRCDIR}/../kernel -I${SRCDIR}/../../h5 -O2 -Wall -Wextra
#cgo nompi CFLAGS: -DH5PERF_NOMPI
#include <stdlib.h>
#include "loop.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/engine/kernel"
	"h5perf/pkg/h5"
	"h5perf/pkg/kv"
)

// New makes the engine.
func New() engine.Engine { return api{} }

type api struct{}

// Prepare makes the property lists, dataspaces and the transfer loop of the case.
func (api) Prepare(spec engine.Spec) (engine.Session, error) {
	spec.HDF5.Driver = cmp.Or(spec.HDF5.Driver, hdf5conf.MPIO)
	if err := check(spec); err != nil {
		return nil, err
	}
	s := &session{spec: spec, conf: spec.HDF5}
	if err := s.make(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// session is the engine prepared for a case.
type session struct {
	spec   engine.Spec
	conf   hdf5conf.Settings // of the spec, with the name of the default driver
	kernel *kernel.Kernel
	loop   *C.h5perf_hdf5
	made   []io.Closer // objects of the library
	leader bool        // subfiling: this process is the first of its node

	fapl, dcpl *hdf5.PropList
	space      *hdf5.Dataspace // of a dataset

	hints []kv.KeyValue // of the first file
	calls uint64        // of closed datasets
}

func (s *session) make() error {
	k, err := kernel.New(&s.spec)
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

// spaces makes the dataspaces of the buffer and of the dataset.
func (s *session) spaces() (err error) {
	seq := s.spec.Sequence
	memory, err := s.newSpace(seq.Buffer())
	if err != nil {
		return err
	}
	if s.space, err = s.newSpace(seq.Dims); err != nil {
		return err
	}
	l := s.loop
	l.memory, l.space = C.hid_t(memory.ID()), C.hid_t(s.space.ID())
	l.rank = C.int(len(seq.Dims))
	if s.spec.Extendible {
		l.extendible = 1
	}
	for to, from := range map[*[C.H5PERF_MAXDIM]C.hsize_t][]uint64{
		&l.start: seq.Slab.Start, &l.stride: seq.Slab.Stride, &l.count: seq.Slab.Count, &l.block: seq.Slab.Block,
		&l.buffer: seq.Buffer(),
	} {
		copyTo(to, from)
	}
	return s.shape(seq.Dims)
}

func copyTo(to *[C.H5PERF_MAXDIM]C.hsize_t, from []uint64) {
	for d, n := range from {
		to[d] = C.hsize_t(n)
	}
}

// callShape makes the selection of the first transfer.
const callShape = "H5Sselect_hyperslab"

// shape gives the dataspace of the dataset its extent, and selects the first transfer in it.
func (s *session) shape(extent []uint64) error {
	copyTo(&s.loop.extent, extent)
	if C.h5perf_hdf5_shape(s.loop) < 0 {
		return h5.Failed(callShape)
	}
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

// FileBytes is what the raw data need, in whole chunks; HDF5 adds metadata and alignment.
func (s *session) FileBytes() (uint64, bool) {
	if s.conf.InMemory() {
		return 0, true
	}
	bytes := uint64(s.spec.Datasets) * s.spec.DatasetBytes
	if s.spec.Chunk != nil {
		bytes = uint64(s.spec.Datasets) * s.chunks() * chunkBytes(s.spec)
	}
	return bytes, false
}

// chunks is how many chunks a dataset has.
func (s *session) chunks() uint64 {
	n := uint64(1)
	for d, extent := range s.spec.Chunk {
		n *= (s.spec.Sequence.Dims[d] + extent - 1) / extent
	}
	return n
}

func chunkBytes(spec engine.Spec) uint64 {
	bytes := spec.Sequence.Element
	for _, extent := range spec.Chunk {
		bytes *= extent
	}
	return bytes
}

// Call is H5Dwrite or H5Dread.
func (s *session) Call(op engine.Op) string { return call(C.FAIL_TRANSFER, op) }

// Effective tells the hints of the first file, and the calls of closed datasets.
func (s *session) Effective() engine.Effective {
	e := engine.Effective{
		Hints: s.hints, Calls: s.calls, Driver: string(s.conf.Driver), Extensions: uint64(s.loop.extensions),
	}
	if s.conf.Driver == hdf5conf.MPIPosix {
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

// CollectiveSync reports whether the file is flushed by all processes together.
func (s *session) CollectiveSync() bool {
	return s.conf.Driver == hdf5conf.MPIO || s.conf.Driver == hdf5conf.Subfiling
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
