//go:build cgo

package hdf5

// #include "loop.h"
import "C"

import (
	"fmt"
	"slices"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// setListed fills in the loop of a listed move. Its selections are built by batches of class Select; until then, it
// selects nothing.
func (s *session) setListed(l *C.h5perf_hdf5, m *workload.Move) error {
	object := &s.program.Objects[m.Object]
	space, err := s.newSpace(m.Selection.Dims(), object.Most)
	if err != nil {
		return err
	}
	dims, slab, err := memoryOf(m)
	if err != nil {
		return err
	}
	memory, err := s.newSpace(dims, nil)
	if err != nil {
		return err
	}
	if slab != nil {
		if err := h5.SelectSlab(memory, *slab); err != nil {
			return err
		}
	} else if m.Selection.Elements() == 0 {
		if err := h5.SelectNone(memory); err != nil {
			return err
		}
	}
	if object.Chunk == nil && slices.Contains(m.Selection.Dims(), 0) {
		l.empty = 1
	}
	l.memory, l.space = C.hid_t(memory.ID()), C.hid_t(space.ID())
	if s.spaces == nil {
		s.spaces = map[int64]*hdf5.Dataspace{}
	}
	s.spaces[int64(l.space)] = space
	return h5.SelectNone(space)
}

// memoryOf returns the extent of the dataspace of a listed move's memory, and its selection; nil selects all.
func memoryOf(m *workload.Move) (dims []uint64, slab *pattern.Hyperslab, err error) {
	n := m.Selection.Elements()
	switch {
	case n == 0:
		return []uint64{1}, nil, nil
	case m.Form.Kind == pattern.Strided:
		return spread(n, 0, m.Form.Every)
	case m.Within.Members != nil:
		return []uint64{n}, nil, nil
	case m.Form.Kind == pattern.Member:
		element := m.Selection.Element()
		if m.Form.Size%element != 0 || m.Form.Offset%element != 0 {
			return nil, nil, fmt.Errorf("a member of %d bytes at byte %d of a structure of %d: %w: offset and "+
				"size must be multiples of that of the member", element, m.Form.Offset, m.Form.Size,
				engine.ErrUnsupported)
		}
		return spread(n, m.Form.Offset/element, m.Form.Size/element)
	case m.Form.Kind != pattern.Ghost:
		return []uint64{n}, nil, nil
	}
	inner, ok := m.Selection.Buffer()
	if !ok {
		return nil, nil, fmt.Errorf("memory with ghost cells for a selection of kind %v: %w", m.Selection.Kind(),
			engine.ErrUnsupported)
	}
	slab = &pattern.Hyperslab{}
	for d, extent := range inner {
		margin := m.Form.Cells
		if m.Form.Last > 0 && d < len(inner)-m.Form.Last {
			margin = 0
		}
		dims = append(dims, extent+2*margin)
		slab.Start, slab.Block = append(slab.Start, margin), append(slab.Block, extent)
		slab.Stride, slab.Count = append(slab.Stride, extent), append(slab.Count, 1)
	}
	return dims, slab, nil
}

// spread returns a dataspace of which every so many-th element is selected, n in all, from the first one on.
func spread(n, first, every uint64) ([]uint64, *pattern.Hyperslab, error) {
	return []uint64{n * every}, &pattern.Hyperslab{
		Start: []uint64{first}, Stride: []uint64{every}, Count: []uint64{n}, Block: []uint64{1},
	}, nil
}

// selectElements builds the selection of a move in the dataspace of its datasets.
func (s *session) selectElements(b *workload.Batch) error {
	l, m := s.loops[b.Move], &s.program.Moves[b.Move]
	if !m.Listed {
		return failure(shape(l, m.Sequence.Dims), s.nameOf(b, b.First))
	}
	space := s.spaces[int64(l.space)]
	var err error
	done, of := uint64(0), uint64(0)
	switch selection := m.Selection; selection.Kind() {
	case pattern.None:
		err = h5.SelectNone(space)
	case pattern.All:
		err = h5.SelectAll(space)
	case pattern.Singular, pattern.Regular:
		err = h5.SelectSlab(space, selection.Slab())
	case pattern.Irregular:
		start, extent := selection.Boxes()
		of = uint64(len(start) / len(selection.Dims()))
		done, err = h5.SelectBoxes(space, start, extent, m.Union, s.env.Stop.Pointer())
	case pattern.Points:
		err = h5.SelectPoints(space, selection.Coordinates())
	}
	if err == nil && done < of {
		return engine.ErrStopped
	}
	return failure(err, s.nameOf(b, b.First))
}
