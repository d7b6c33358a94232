package h5

// #include "describe.h"
import "C"

import (
	"errors"
	"math"
	"slices"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/pattern"
	"h5perf/pkg/script/fromfile"
	"h5perf/pkg/workload"
)

// maxSampledElements is the largest number of elements of a dataset from which the mean lengths are computed.
const maxSampledElements = 500

// measureDatasetLengths sets the mean sizes of the parts of variable length of a dataset, from elements that are spread
// over it. It reads one element after another, since each may be large.
//
// Implements: H5Dread
func measureDatasetLengths(id C.hid_t, o *fromfile.Object) (err error) {
	if o.Null || slices.Contains(o.Dims, 0) || !isSmallerThan4EiB(o.Type.FileBytes(), o.Dims) {
		return nil
	}
	one, err := NewSpace(nil, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, one.Close()) }()
	file, err := NewSpace(o.Dims, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	elements := pattern.Product(o.Dims)
	sampled := min(elements, maxSampledElements)
	stride := elements / sampled
	stride -= (stride - 1) % 2 // odd: data may come in pairs
	return measureLengths(&o.Type, 1, sampled, func(i uint64, typ C.hid_t, to unsafe.Pointer) error {
		if err := selectElement(file, o.Dims, i*stride); err != nil {
			return err
		}
		return status(C.H5Dread(id, typ, C.hid_t(one.ID()), C.hid_t(file.ID()), C.H5P_DEFAULT, to), "H5Dread")
	})
}

// selectElement selects the element with a number, in row-major order, in a dataspace of extent dims.
func selectElement(space *hdf5.Dataspace, dims []uint64, number uint64) error {
	if len(dims) == 0 {
		return nil
	}
	at := make([]uint64, len(dims))
	for d, extent := range slices.Backward(dims) {
		at[d], number = number%extent, number/extent
	}
	return SelectPoints(space, at)
}

// measureLengths sets the mean sizes of the parts of variable length of a type. read reads a number of elements, with
// the given type in memory. It is called with the numbers from 0 to reads - 1.
func measureLengths(t *workload.Type, elements, reads uint64,
	read func(i uint64, memory C.hid_t, to unsafe.Pointer) error,
) error {
	if !t.IsVariable() || elements == 0 {
		return nil
	}
	m, err := NewVariableMemory(*t, elements)
	if err != nil {
		return err
	}
	defer m.Free()
	memory, err := NewMemoryType(*t)
	if err != nil {
		return err
	}
	sums := lengthSums{}
	for i := uint64(0); i < reads && err == nil; i++ {
		if err = read(i, C.hid_t(memory.ID()), m.Pointer()); err == nil {
			sums.addElements(m)
		}
		err = errors.Join(err, m.Reclaim())
	}
	sums.setMeanSizes()
	*t = m.typ
	return errors.Join(err, memory.Close())
}

// lengthSums holds, for each part of variable length of a type, the number of parts, and the size of all of them in
// bytes.
type lengthSums map[*workload.Type]*struct{ parts, bytes uint64 }

// addElements adds the parts of elements that were read.
func (s lengthSums) addElements(m *VariableMemory) {
	scratch := make([]byte, m.typ.Bytes())
	for memory, n := m.elements, m.typ.MemoryBytes(); len(memory) > 0; memory = memory[n:] {
		eachRange(&m.typ, memory[:n], scratch, func(t *workload.Type, element, _ []byte) {
			if !t.IsVariable() {
				return
			}
			if s[t] == nil {
				s[t] = &struct{ parts, bytes uint64 }{}
			}
			s[t].parts++
			s[t].bytes += uint64(len(newVariablePart(t, element).values()))
		})
	}
}

// setMeanSizes sets the sizes of the parts to their means.
func (s lengthSums) setMeanSizes() {
	for t, sum := range s {
		item := newVariablePart(t, nil).item
		mean := (sum.bytes/item + sum.parts/2) / sum.parts
		t.Size = item * min(max(1, mean), math.MaxInt32/item)
	}
}
