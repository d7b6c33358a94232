package h5

// #include "describe.h"
import "C"

import (
	"errors"
	"math"
	"slices"
	"unsafe"

	"h5perf/pkg/pattern"
	"h5perf/pkg/script/fromfile"
	"h5perf/pkg/workload"
)

// maxSampledElements is the largest number of elements of a dataset from which the mean lengths are computed.
const maxSampledElements = 1000

// measureDatasetLengths sets the mean sizes of the parts of variable length of a dataset, from elements that are spread
// over it.
//
// Implements: H5Dread
func measureDatasetLengths(id C.hid_t, o *fromfile.Object) (err error) {
	if o.Null || o.Bytes() == 0 || !o.Type.IsVariable() {
		return nil
	}
	slab, left := pattern.Hyperslab{}, uint64(maxSampledElements)
	for _, extent := range slices.Backward(o.Dims) {
		n := min(extent, left)
		slab.Start, slab.Block = append(slab.Start, 0), append(slab.Block, 1)
		slab.Count = append([]uint64{n}, slab.Count...)
		stride := max(1, extent/n)
		slab.Stride = append([]uint64{stride - (stride-1)%2}, slab.Stride...) // odd: data may come in pairs
		left /= n
	}
	elements := pattern.Product(slab.Count)
	memory, err := NewSpace([]uint64{elements}, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, memory.Close()) }()
	file, err := NewSpace(o.Dims, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if len(o.Dims) > 0 {
		if err := SelectSlab(file, slab); err != nil {
			return err
		}
	}
	return measureLengths(&o.Type, elements, func(typ C.hid_t, to unsafe.Pointer) error {
		return status(C.H5Dread(id, typ, C.hid_t(memory.ID()), C.hid_t(file.ID()), C.H5P_DEFAULT, to), "H5Dread")
	})
}

// measureLengths sets the mean sizes of the parts of variable length of a type, from so many elements, which read reads
// with the given type in memory.
func measureLengths(t *workload.Type, elements uint64, read func(memory C.hid_t, to unsafe.Pointer) error) error {
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
	if err = read(C.hid_t(memory.ID()), m.Pointer()); err == nil {
		m.setMeanSizes()
		*t = m.typ
	}
	return errors.Join(err, m.Reclaim(), memory.Close())
}

// setMeanSizes sets the mean sizes of the parts of the type from the elements that were read.
func (m *VariableMemory) setMeanSizes() {
	type sum struct{ bytes, parts uint64 }
	sums := map[*workload.Type]*sum{}
	scratch := make([]byte, m.typ.Bytes())
	for memory, n := m.elements, m.typ.MemoryBytes(); len(memory) > 0; memory = memory[n:] {
		eachRange(&m.typ, memory[:n], scratch, func(t *workload.Type, element, _ []byte) {
			if !t.IsVariable() {
				return
			}
			if sums[t] == nil {
				sums[t] = &sum{}
			}
			sums[t].parts++
			sums[t].bytes += uint64(len(newVariablePart(t, element).values()))
		})
	}
	for t, s := range sums {
		item := newVariablePart(t, nil).item
		mean := (s.bytes/item + s.parts/2) / s.parts
		t.Size = item * min(max(1, mean), math.MaxInt32/item)
	}
}
