//go:build cgo

// Package hdf5 is the engine of HDF5: one H5Dwrite or H5Dread for each transfer. The hyperslab is selected once and
// then moved by an offset. Dataset k, counted from 0, is named Dataset_k+1.
//
// Files are made with the library's defaults except for the settings in Spec, so that their layout is that of HDF5's
// own h5perf and h5perf_serial. With the driver mpiposix, all processes use the sec2 driver, as the MPI-POSIX driver
// of HDF5 before 1.8.13 did; rank 0 has then created all datasets with all their storage. The file drivers of the
// serial tool are for one process, without MPI.
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

// New returns the engine.
func New() engine.Engine { return api{} }

type api struct{}

// Prepare makes the property lists, the dataspaces and the transfer loop of the case.
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
	conf   hdf5conf.Settings // settings of the spec, with the default driver filled in
	kernel *kernel.Kernel
	loop   *C.h5perf_hdf5
	made   []io.Closer // objects of the library that Close closes
	leader bool        // subfiling: this process is the first of its node

	fapl, dcpl *hdf5.PropList  // file access list, dataset creation list
	space      *hdf5.Dataspace // dataspace of a dataset

	hints []kv.KeyValue // hints in effect for the first file
	calls uint64        // data calls of closed datasets
}

// make makes what the session consists of. After an error, the session must be closed.
func (s *session) make() error {
	k, err := kernel.New(&s.spec)
	if err != nil {
		return err
	}
	s.kernel = k
	s.loop = (*C.h5perf_hdf5)(C.calloc(1, C.sizeof_h5perf_hdf5)) // without memory, cgo ends the program
	s.loop.kernel = (*C.h5perf_kernel)(k.Pointer())
	for _, part := range []func() error{s.access, s.creation, s.transfer, s.spaces} {
		if err := part(); err != nil {
			return fmt.Errorf("prepare HDF5: %w", err)
		}
	}
	return nil
}

// spaces makes the dataspaces of the buffer and of a dataset.
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
	if s.spec.Chunk != nil {
		l.chunked = 1
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

// callShape is the call that errors of shape name.
const callShape = "H5Sselect_hyperslab"

// shape sets the extent of the dataspace of a dataset, and selects the first transfer in it.
func (s *session) shape(extent []uint64) error {
	copyTo(&s.loop.extent, extent)
	if C.h5perf_hdf5_shape(s.loop) < 0 {
		return h5.Failed(callShape)
	}
	return nil
}

// newSpace makes a simple dataspace, which Close closes.
//
// Implements: H5Screate_simple
func (s *session) newSpace(dims []uint64) (*hdf5.Dataspace, error) {
	space, err := hdf5.CreateSimpleDataspace(uints(dims), nil)
	if err != nil {
		return nil, h5.Failed("H5Screate_simple")
	}
	s.made = append(s.made, space)
	return space, nil
}

// uints converts numbers to the type that the Go binding of HDF5 takes.
func uints(numbers []uint64) []uint {
	out := make([]uint, len(numbers))
	for i, n := range numbers {
		out[i] = uint(n)
	}
	return out
}

// FileBytes returns the size of the raw data, in whole chunks. It is not exact: HDF5 adds metadata and alignment.
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

// chunks returns the number of chunks of a dataset.
func (s *session) chunks() uint64 {
	n := uint64(1)
	for d, extent := range s.spec.Chunk {
		n *= (s.spec.Sequence.Dims[d] + extent - 1) / extent
	}
	return n
}

// chunkBytes returns the size of a chunk in bytes.
func chunkBytes(spec engine.Spec) uint64 {
	bytes := spec.Sequence.Element
	for _, extent := range spec.Chunk {
		bytes *= extent
	}
	return bytes
}

// Call returns H5Dwrite or H5Dread.
func (s *session) Call(op engine.Op) string { return call(C.FAIL_TRANSFER, op) }

// Effective returns the hints of the first file, and the calls of closed datasets.
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

// CollectiveSync reports whether all processes must flush the file together.
func (s *session) CollectiveSync() bool {
	return s.conf.Driver == hdf5conf.MPIO || s.conf.Driver == hdf5conf.Subfiling
}

// Close releases what make has made, also if make failed.
func (s *session) Close() error {
	var all error
	for _, m := range s.made {
		if err := m.Close(); err != nil {
			all = errors.Join(all, h5.Failed("close of a property list or dataspace"))
		}
	}
	C.free(unsafe.Pointer(s.loop))
	if s.kernel != nil {
		s.kernel.Free()
	}
	return all
}
