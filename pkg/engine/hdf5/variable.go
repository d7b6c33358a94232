//go:build cgo

package hdf5

// #include <stdlib.h>
// #include "loop.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// makeVariableMemory makes the memory of a move whose elements have a variable length, and tells its loop.
func (s *session) makeVariableMemory(l *C.h5perf_hdf5, move int) error {
	m := &s.program.Moves[move]
	o := &s.program.Objects[m.Object]
	if !m.Listed || m.Form.Kind != pattern.Dense || m.Member != "" {
		return fmt.Errorf("dataset %s of type %v: %w: in memory, its elements must follow each other, with all members",
			o.NameOf(0), o.Type, engine.ErrUnsupported)
	}
	if s.variable == nil {
		s.variable = map[int][]*h5.VariableMemory{}
	}
	slots := max(1, m.Buffer.Slots)
	l.variable = (*C.h5perf_variable)(C.calloc(C.size_t(slots), C.sizeof_h5perf_variable))
	for i := range slots {
		memory, err := h5.NewVariableMemory(o.Type, m.Selection.NumElements())
		if err != nil {
			return err
		}
		s.variable[move] = append(s.variable[move], memory)
		*s.slotOfVariable(move, i) = C.h5perf_variable{
			elements: memory.Pointer(), bytes: C.size_t(len(memory.Elements())),
		}
	}
	return nil
}

// slotOfVariable returns what the loop of a move knows about the memory of a slot.
func (s *session) slotOfVariable(move int, slot uint64) *C.h5perf_variable {
	return &unsafe.Slice(s.loops[move].variable, len(s.variable[move]))[slot]
}

// FillMemory makes the memory of the writes of a batch, and clears that of its reads: see engine.MemoryConverter.
func (s *session) FillMemory(b *workload.Batch) error {
	return s.eachVariable(b, func(m *h5.VariableMemory, _ *C.h5perf_variable, buffer []byte,
		number func(uint64) uint64,
	) error {
		if b.Op == workload.Write {
			return m.Fill(buffer, number)
		}
		m.Clear()
		return nil
	})
}

// ReadMemory copies what the reads of a batch have read to the buffers: see engine.MemoryConverter.
func (s *session) ReadMemory(b *workload.Batch) error {
	if b.Op == workload.Write {
		return nil
	}
	return s.eachVariable(b, func(m *h5.VariableMemory, slot *C.h5perf_variable, buffer []byte,
		number func(uint64) uint64,
	) error {
		if slot.read == 0 {
			return nil // another read of the same batch has copied it
		}
		slot.read = 0
		return errors.Join(m.Read(buffer, number), m.Reclaim())
	})
}

// eachVariable calls do for each dataset of a batch whose elements have a variable length, with the memory of its slot,
// what the loop knows about it, the buffer, and the function that returns the number of an element in the dataset.
func (s *session) eachVariable(b *workload.Batch, do func(
	m *h5.VariableMemory, slot *C.h5perf_variable, buffer []byte, number func(index uint64) uint64,
) error,
) error {
	for move := range b.Moves() {
		slots := s.variable[move]
		if len(slots) == 0 {
			continue
		}
		m := &s.program.Moves[move]
		numbers, err := elementNumbers(m, s.program.Objects[m.Object].Type.Bytes())
		if err != nil {
			return err
		}
		number := func(index uint64) uint64 { return numbers[index] }
		for k := b.First; k < b.First+b.Count; k++ {
			slot := m.Ordinal(k, 0) % uint64(len(slots))
			err := do(slots[slot], s.slotOfVariable(move, slot), m.Buffer.Slot(slot), number)
			if err != nil {
				return wrapError(err, s.program.PathOf(m.Object, k)) // the file may be closed
			}
		}
	}
	return nil
}

// elementNumbers returns the numbers in the dataset of the elements of a move, in the order of memory. element is the
// size of an element in a plain file, in bytes.
func elementNumbers(m *workload.Move, element uint64) ([]uint64, error) {
	all := make([]uint64, m.Selection.NumElements())
	err := m.EachPiece(func(file, memory, bytes uint64) {
		for at := uint64(0); at < bytes; at += element {
			all[(memory+at)/element] = (file + at) / element
		}
	})
	return all, err
}
