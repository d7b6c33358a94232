package h5

/*
#include <stdlib.h>
#include <string.h>
#include "calls.h"

// Returns the pointer at an address that need not be aligned.
static void *pointer_at(const void *at)
{
    void *p;
    memcpy(&p, at, sizeof p);
    return p;
}

static size_t text_length(const void *text) { return strlen(text); }
*/
import "C"

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unsafe"

	"h5perf/pkg/fill"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// The size of a pointer and of a length (size_t), in bytes, in the memory of an application that uses HDF5.
const wordBytes = 8

// VariableMemory holds elements with parts of variable length (see workload.Type.IsVariable) as HDF5 has them in
// memory: a sequence is a length and a pointer (hvl_t), a text a pointer (char *). The same elements in a buffer, as
// they are in a plain file, have the mean lengths: there, the values of a longer part are cut, and those of a shorter
// part are followed by unused bytes. The values that are cut repeat those at the beginning of the part.
type VariableMemory struct {
	typ      workload.Type
	elements []byte         // in C memory
	values   unsafe.Pointer // what the elements point to; nil: nothing, or memory of the library
	next     unsafe.Pointer // where the next part begins in values
}

// NewVariableMemory returns memory for a number of elements, which are zero. Free it with Free.
func NewVariableMemory(t workload.Type, elements uint64) (*VariableMemory, error) {
	n := elements * t.MemoryBytes()
	p := C.calloc(C.size_t(max(1, n)), 1)
	if p == nil {
		return nil, errors.New("calloc of elements of variable length: out of memory")
	}
	return &VariableMemory{typ: t, elements: unsafe.Slice((*byte)(p), n)}, nil
}

// Pointer returns the address of the elements, for calls of HDF5.
func (m *VariableMemory) Pointer() unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(m.elements))
}

// Elements returns the memory of the elements, without what they point to.
func (m *VariableMemory) Elements() []byte { return m.elements }

// Free frees the memory, if there is any, but not what the library has allocated: see Reclaim.
func (m *VariableMemory) Free() {
	if m == nil {
		return
	}
	C.free(m.values)
	C.free(m.Pointer())
}

// Clear makes all elements zero, so that they can be read.
func (m *VariableMemory) Clear() {
	C.free(m.values)
	m.values = nil
	clear(m.elements)
}

// Fill sets all elements to write from a buffer. number returns the number, in the dataset, of the element with the
// given index in the buffer.
func (m *VariableMemory) Fill(buffer []byte, number func(index uint64) uint64) error {
	m.Clear()
	total := uint64(0)
	m.visit(buffer, number, func(p variablePart) { total += p.memoryBytes() },
		func(element, buffer []byte) { copy(element, buffer) })
	if m.values = C.malloc(C.size_t(max(1, total))); m.values == nil {
		return errors.New("malloc of values of variable length: out of memory")
	}
	m.next = m.values
	m.visit(buffer, number, m.writePart, func(_, _ []byte) {})
	return nil
}

// writePart copies a part from the buffer, and lets its element point to it.
func (m *VariableMemory) writePart(p variablePart) {
	n := p.length * p.item
	to := unsafe.Slice((*byte)(m.next), p.memoryBytes())
	for at := uint64(0); at < n; {
		at += uint64(copy(to[at:n], p.buffer))
	}
	clear(to[n:])
	p.setPointer(m.next, p.length)
	m.next = unsafe.Add(m.next, len(to))
}

// Read copies all elements that were read to a buffer, as far as they have the lengths and the repeated values that
// Fill gives them; of other parts, the bytes of the buffer stay as they are. It returns an error if a part is empty:
// then it was not read. number is as for Fill.
func (m *VariableMemory) Read(buffer []byte, number func(index uint64) uint64) error {
	empty := false
	m.visit(buffer, number, func(p variablePart) {
		values := p.values()
		empty = empty || len(values) == 0
		if uint64(len(values)) == p.length*p.item && isRepeated(values, len(p.buffer)) {
			copy(p.buffer, values)
		}
	}, func(element, buffer []byte) { copy(buffer, element) })
	if empty {
		return errors.New("a sequence or text of variable length is empty: it was not read, or is lost")
	}
	return nil
}

// isRepeated reports whether the bytes of values after the given number repeat those at the beginning.
func isRepeated(values []byte, after int) bool {
	return len(values) <= after || bytes.Equal(values[after:], values[:len(values)-after])
}

// Reclaim frees what the library has allocated for the elements, and makes them zero.
//
// Implements: H5Dvlen_reclaim
func (m *VariableMemory) Reclaim() error {
	if len(m.elements) == 0 || m.values != nil { // the library has allocated nothing
		return nil
	}
	defer m.Clear()
	memory, err := NewMemoryType(m.typ)
	if err != nil {
		return err
	}
	space, err := NewSpace([]uint64{uint64(len(m.elements)) / m.typ.MemoryBytes()}, nil)
	if err != nil {
		return errors.Join(err, memory.Close())
	}
	rc := C.H5Dvlen_reclaim(C.hid_t(memory.ID()), C.hid_t(space.ID()), C.H5P_DEFAULT, m.Pointer())
	return errors.Join(status(rc, "H5Dvlen_reclaim"), memory.Close(), space.Close())
}

// variablePart is a sequence, or a text of variable length, in an element.
type variablePart struct {
	element []byte // the length and the pointer, or the pointer alone
	buffer  []byte // its bytes in the buffer: those of its mean length
	item    uint64 // size of a value in bytes
	length  uint64 // number of values
	text    bool
}

// memoryBytes returns the size of the values with what ends a text, rounded up so that the next part is aligned.
func (p variablePart) memoryBytes() uint64 {
	n := p.length * p.item
	if p.text {
		n++
	}
	return (n + wordBytes - 1) / wordBytes * wordBytes
}

func (p variablePart) setPointer(to unsafe.Pointer, length uint64) {
	if !p.text {
		binary.NativeEndian.PutUint64(p.element, length)
	}
	binary.NativeEndian.PutUint64(p.element[len(p.element)-wordBytes:], uint64(uintptr(to)))
}

// values returns the bytes to which the element points.
func (p variablePart) values() []byte {
	at := C.pointer_at(unsafe.Pointer(&p.element[len(p.element)-wordBytes]))
	switch {
	case at == nil:
		return nil
	case p.text:
		return unsafe.Slice((*byte)(at), C.text_length(at))
	}
	return unsafe.Slice((*byte)(at), binary.NativeEndian.Uint64(p.element)*p.item)
}

// visit calls part for each part of variable length of all elements, and fixed for each other range of them, with the
// bytes in memory and in a buffer. Both are in the order of memory.
func (m *VariableMemory) visit(buffer []byte, number func(index uint64) uint64, part func(variablePart),
	fixed func(element, buffer []byte),
) {
	in, out := m.typ.MemoryBytes(), m.typ.Bytes()
	for i := uint64(0); i*in < uint64(len(m.elements)); i++ {
		element := number(i)
		eachRange(&m.typ, m.elements[i*in:][:in], buffer[i*out:][:out], func(t *workload.Type, memory, buffer []byte) {
			if !t.IsVariable() {
				fixed(memory, buffer)
				return
			}
			p := newVariablePart(t, memory)
			p.buffer, p.length = buffer, fill.SequenceLength(element, t.Size/p.item)
			part(p)
		})
	}
}

// newVariablePart returns the part of the given type with the given memory of its element.
func newVariablePart(t *workload.Type, element []byte) variablePart {
	if t.Class == workload.Text {
		return variablePart{element: element, item: 1, text: true}
	}
	return variablePart{element: element, item: t.Members[0].Type.Bytes()}
}

// eachRange calls yield for each part of an element that is a sequence, a text of variable length, or of fixed size,
// with its bytes in memory and in a buffer.
func eachRange(t *workload.Type, memory, buffer []byte, yield func(t *workload.Type, memory, buffer []byte)) {
	n := pattern.Product(t.Array)
	for in, out := t.MemoryBytes()/n, t.Bytes()/n; len(memory) > 0; memory, buffer = memory[in:], buffer[out:] {
		if t.Class != workload.Compound || !t.IsVariable() {
			yield(t, memory[:in], buffer[:out])
			continue
		}
		member, bytes := memory[:in], buffer[:out]
		for i := range t.Members {
			m := &t.Members[i]
			member, bytes = member[m.Gap:], bytes[m.Gap:]
			in, out := m.Type.MemoryBytes(), m.Type.Bytes()
			eachRange(&m.Type, member[:in], bytes[:out], yield)
			member, bytes = member[in:], bytes[out:]
		}
	}
}
