//go:build cgo

package hdf5

/*
#include <stdlib.h>
#include "loop.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// listedSpace is a dataspace of a dataset for listed moves that are transferred one by one. Like an application, the
// session selects anew in one dataspace for each transfer. A dataspace for each move would cost time: HDF5 looks every
// identifier up, which takes the longer the more there are.
type listedSpace struct {
	*hdf5.Dataspace
	// one pointer, in C memory: the loop of the move whose elements are selected; nil: of none
	selected []*C.h5perf_hdf5
}

// fillInListedLoop fills in the loop of listed move i. The loop selects no elements until a batch of class Select
// builds the selection of the move.
func (s *session) fillInListedLoop(l *C.h5perf_hdf5, i int) error {
	m := &s.program.Moves[i]
	if err := s.setDatasetSpace(l, i); err != nil {
		return err
	}
	dims, slab, err := memorySelection(m)
	if err != nil {
		return err
	}
	if s.program.Objects[m.Object].Chunk == nil && slices.Contains(m.Selection.Dims(), 0) {
		l.empty = 1
	}
	memory, err := s.memorySpaceOf(dims, slab, m.Selection.NumElements() == 0)
	l.memory = C.hid_t(memory)
	if kind := m.Selection.Kind(); kind == pattern.Singular || kind == pattern.Regular {
		copySlab(l, m.Selection.Slab())
	}
	return err
}

// setDatasetSpace sets the dataspace of the dataset of listed move i. Moves with the same extent share one, but for
// those that are transferred in one call.
func (s *session) setDatasetSpace(l *C.h5perf_hdf5, i int) error {
	m := &s.program.Moves[i]
	maxDims := s.program.Objects[m.Object].MaxExtent
	key := fmt.Sprint(m.Selection.Dims(), maxDims)
	if s.togetherMoves[i] {
		key = fmt.Sprint("move ", i)
	}
	shared, is := s.listedSpaces[key]
	if !is {
		space, err := s.newDataspace(m.Selection.Dims(), maxDims)
		if err != nil {
			return err
		}
		shared = &listedSpace{space, engine.NewPointers[C.h5perf_hdf5](1)}
		s.listedSpaces[key] = shared
		if err := h5.SelectNone(space); err != nil {
			return err
		}
	}
	s.spaceOfMove[i] = shared
	l.space, l.selected = C.hid_t(shared.ID()), &shared.selected[0]
	return nil
}

// memorySpaceOf returns the identifier of a memory dataspace for listed moves: see memorySelection. empty means that
// no elements are selected. Moves with the same extent and selection in memory share one.
func (s *session) memorySpaceOf(dims []uint64, slab *pattern.Hyperslab, empty bool) (int64, error) {
	key := fmt.Sprint(dims, slab, empty)
	if known, is := s.memorySpaces[key]; is {
		return known, nil
	}
	memory, err := s.newDataspace(dims, nil)
	switch {
	case err != nil:
		return 0, err
	case slab != nil:
		err = h5.SelectSlab(memory, *slab)
	case empty:
		err = h5.SelectNone(memory)
	}
	s.memorySpaces[key] = memory.ID()
	return memory.ID(), err
}

// memorySelection returns the extent of the memory dataspace for a listed move, and the hyperslab to select in it; nil
// selects all elements.
//
// The dataspace is the one that an application would use. A hyperslab, or a whole dataset, is in memory an array with
// the same number of dimensions and the extent of the selection. HDF5 then copies whole rows between memory and file or
// chunk. With another number of dimensions, HDF5 maps each element, which takes several times as long. Points and
// unions of boxes have no shape: in memory they are a one-dimensional list of elements. If only every n-th element of
// memory is used, the fastest dimension is n times as large.
func memorySelection(m *workload.Move) (dims []uint64, slab *pattern.Hyperslab, err error) {
	if m.Selection.NumElements() == 0 {
		return []uint64{1}, nil, nil
	}
	shape, isArray := m.Selection.BufferShape()
	if m.Form.Kind == pattern.Ghost {
		if !isArray {
			return nil, nil, fmt.Errorf("memory with ghost cells for a selection of kind %v: %w", m.Selection.Kind(),
				engine.ErrUnsupported)
		}
		dims, slab = withGhostCells(shape, m.Form)
		return dims, slab, nil
	}
	if len(shape) == 0 {
		shape = []uint64{m.Selection.NumElements()}
	}
	switch {
	case m.Form.Kind == pattern.Strided:
		dims, slab = withGaps(shape, 0, m.Form.StrideElements)
		return dims, slab, nil
	case m.Form.Kind == pattern.Member && m.StructureType.Members == nil:
		element := m.Selection.ElementBytes()
		if m.Form.StructBytes%element != 0 || m.Form.MemberOffset%element != 0 {
			return nil, nil, fmt.Errorf("a member of %d bytes at byte %d of a structure of %d: %w: offset and "+
				"size must be multiples of that of the member", element, m.Form.MemberOffset, m.Form.StructBytes,
				engine.ErrUnsupported)
		}
		dims, slab = withGaps(shape, m.Form.MemberOffset/element, m.Form.StructBytes/element)
		return dims, slab, nil
	}
	return shape, nil, nil
}

// withGhostCells returns the extent of an array with ghost cells around it, and the hyperslab that selects the array.
func withGhostCells(shape []uint64, f pattern.MemoryArrangement) ([]uint64, *pattern.Hyperslab) {
	var dims []uint64
	slab := &pattern.Hyperslab{}
	for d, extent := range shape {
		margin := f.GhostCells
		if f.GhostDims > 0 && d < len(shape)-f.GhostDims {
			margin = 0
		}
		dims = append(dims, extent+2*margin)
		slab.Start, slab.Block = append(slab.Start, margin), append(slab.Block, extent)
		slab.Stride, slab.Count = append(slab.Stride, extent), append(slab.Count, 1)
	}
	return dims, slab
}

// withGaps returns the extent of an array in which elements are followed by gaps in the fastest dimension, and the
// hyperslab that selects only the elements. In that dimension, the elements have the indices first, first + every, and
// so on. shape is the extent of the array without gaps. shape must have at least one dimension.
func withGaps(shape []uint64, first, every uint64) ([]uint64, *pattern.Hyperslab) {
	last := len(shape) - 1
	ones := slices.Repeat([]uint64{1}, len(shape))
	slab := &pattern.Hyperslab{
		Start: make([]uint64, len(shape)), Stride: slices.Clone(ones), Count: slices.Clone(shape), Block: ones,
	}
	dims := slices.Clone(shape)
	dims[last] *= every
	slab.Start[last], slab.Stride[last] = first, every
	return dims, slab
}

// selectElements builds the selection of a listed move in the dataspace of its dataset.
func (s *session) selectElements(b *workload.Batch, move int) error {
	m, space := &s.program.Moves[move], s.spaceOfMove[move]
	space.selected[0] = nil
	var err error
	done, of := uint64(0), uint64(0)
	switch selection := m.Selection; selection.Kind() {
	case pattern.None:
		err = h5.SelectNone(space.Dataspace)
	case pattern.All:
		err = h5.SelectAll(space.Dataspace)
	case pattern.Singular, pattern.Regular:
		err = h5.SelectSlab(space.Dataspace, selection.Slab())
	case pattern.Irregular:
		start, extent := selection.Boxes()
		of = uint64(len(start) / len(selection.Dims()))
		done, err = h5.SelectBoxes(space.Dataspace, start, extent, m.Union, s.env.Stop.Pointer())
	case pattern.Points:
		err = h5.SelectPoints(space.Dataspace, selection.Coordinates())
	}
	switch {
	case err != nil:
		return wrapError(err, s.objectName(b, b.First))
	case done < of:
		return engine.ErrStopped
	}
	space.selected[0] = s.loops[move]
	return nil
}

// selectInParts selects the first transfer of a regular move anew, by its blocks or its elements, if this is how the
// move selects. Like a hyperslab, a union of blocks is then moved by an offset; the loop selects points for each
// transfer.
func (s *session) selectInParts(l *C.h5perf_hdf5, space *hdf5.Dataspace, m *workload.Move) error {
	slab, dims := m.Sequence.Slab, m.Sequence.Dims
	switch m.Slab {
	case workload.SlabBlocks:
		start, extent := slab.Blocks()
		done, err := h5.SelectBoxes(space, start, extent, workload.UnionOr, s.env.Stop.Pointer())
		if err == nil && done < uint64(len(start)/len(dims)) {
			err = engine.ErrStopped
		}
		return err
	case workload.SlabPoints:
		one, err := pattern.SelectHyperslab(dims, m.Sequence.Element, slab)
		if err == nil {
			one, err = one.AsPoints()
		}
		if err != nil {
			return err
		}
		l.count_of_points = C.uint64_t(one.NumElements())
		l.points = (*C.hsize_t)(C.calloc(C.size_t(len(one.Coordinates())), C.sizeof_hsize_t))
		for i, at := range one.Coordinates() {
			unsafe.Slice(l.points, len(one.Coordinates()))[i] = C.hsize_t(at)
		}
	}
	return nil
}
