package script

import (
	"fmt"

	"h5perf/pkg/workload"
)

// HDF5 stores a type or an attribute as a message in an object header, and limits its size. The sizes here are those of
// the oldest file format, which HDF5 writes by default. Newer formats need no more.

// roundUpToEight rounds a number of bytes up to a multiple of 8.
func roundUpToEight(n uint64) uint64 { return (n + 7) / 8 * 8 }

// typeMessageBytes returns the size in bytes of the datatype message of HDF5 for a type. It stops adding members as
// soon as the size exceeds maxMessageBytes.
func typeMessageBytes(t *workload.Type) uint64 {
	n := uint64(8 + 12) // of a number
	switch t.Class {
	case workload.Compound:
		n = 8
		for i := range t.Members {
			m := &t.Members[i]
			if n += roundUpToEight(uint64(len(m.Name)+1)) + 32 + typeMessageBytes(&m.Type); n > maxMessageBytes {
				break
			}
		}
	case workload.Text:
		n = 8
	case workload.Sequence:
		n = 8 + typeMessageBytes(&t.Members[0].Type)
	case workload.Opaque:
		n = 8 + roundUpToEight(uint64(len(t.Tag)+1))
	}
	for _, w := range t.Words {
		n += roundUpToEight(uint64(len(w.Name)+1)) + t.Size
	}
	if t.Words != nil {
		n += 8
	}
	if t.Array != nil {
		n += 12 + 8*uint64(len(t.Array))
	}
	return n
}

// typeDepth returns the nesting depth of a type. It is 1 if the type contains no other types.
func typeDepth(t *workload.Type) int {
	depth := 0
	for i := range t.Members {
		depth = max(depth, typeDepth(&t.Members[i].Type))
	}
	return depth + 1
}

// checkTypeStorable returns an error if HDF5 cannot store a type.
func checkTypeStorable(t *workload.Type) error {
	if typeDepth(t) > maxTypeDepth {
		return fmt.Errorf("types within types more than %d deep, the limit: make members of the outer type",
			maxTypeDepth)
	}
	if typeMessageBytes(t) > maxMessageBytes {
		return fmt.Errorf("the members or words of the type, and their names, need more than %d bytes in the header "+
			"of a dataset, the limit of HDF5: use fewer, shorter names, or arrays", maxMessageBytes)
	}
	return nil
}

// checkAttributeFits returns an error if HDF5 cannot store an attribute in the header of an object.
func checkAttributeFits(a *workload.Attributes) error {
	last := workload.Object{Name: a.Name, PerGroup: 1, First: max(1, a.Count) - 1}
	name := len(last.NameOf(0))
	bytes, dims := saturatingProduct(a.NumElements(), a.Type.FileBytes()), uint64(len(a.Dims))
	around := 8 + roundUpToEight(uint64(name+1)) + roundUpToEight(typeMessageBytes(&a.Type)) + 8 + 16*dims
	if around > maxMessageBytes || bytes > maxMessageBytes-around {
		return fmt.Errorf("an attribute of %d bytes: the limit of HDF5 is %d for one with this name, type and shape",
			bytes, maxMessageBytes-min(around, maxMessageBytes))
	}
	return nil
}
