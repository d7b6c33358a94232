package script

import (
	"fmt"

	"go.starlark.net/starlark"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// memoryValue describes the layout of the elements of a transfer in memory.
type memoryValue struct {
	baseValue
	form          pattern.MemoryArrangement
	structureType *workload.Type // the type of the structures that contain the elements
	member        string         // the member of the structures; "": the member with the name of the dataset
	members       []string       // members of the dataset; each is transferred by itself
}

func (m *memoryValue) Unpack(v starlark.Value) error {
	given, is := v.(*memoryValue)
	if !is {
		return fmt.Errorf("%s is no form of memory: give ghost(2), strided_memory(2), structures(..) "+
			"or members([..])", valueText(v))
	}
	*m = *given
	return nil
}

// ghostMemory implements ghost: the block in memory has ghost elements around it, which are not transferred.
func ghostMemory(c builtinCall) (starlark.Value, error) {
	m := &memoryValue{baseValue: baseValue{"memory"}, form: pattern.MemoryArrangement{Kind: pattern.Ghost}}
	last := uint64(0)
	err := c.unpackArgs("cells", &m.form.GhostCells, "last?", &last)
	m.form.GhostDims = int(min(last, pattern.MaxDims+1))
	return m, err
}

// stridedMemory implements strided_memory: in memory, only every n-th element is transferred.
func stridedMemory(c builtinCall) (starlark.Value, error) {
	m := &memoryValue{baseValue: baseValue{"memory"}, form: pattern.MemoryArrangement{Kind: pattern.Strided}}
	err := c.unpackArgs("every", &m.form.StrideElements)
	if err == nil && m.form.StrideElements == 0 {
		err = fmt.Errorf("strided_memory: elements are 0 elements apart: give a number from 1 on")
	}
	return m, err
}

// structureMemory implements structures: in memory, the elements are members of structures.
func structureMemory(c builtinCall) (starlark.Value, error) {
	m := &memoryValue{baseValue: baseValue{"memory"}}
	var of typeArgument
	err := c.unpackArgs("dtype", &of, "member?", &m.member)
	m.structureType = &of.Type
	return m, err
}

// memberMemory implements members: memory has one array for each member of the structures in the file.
func memberMemory(c builtinCall) (starlark.Value, error) {
	m := &memoryValue{baseValue: baseValue{"memory"}}
	err := c.unpackArgs("names", (*stringListArgument)(&m.members))
	return m, err
}

// datasetTransfer is a transfer of a dataset, or of a member of its elements.
type datasetTransfer struct {
	member        string                    // "": all members
	form          pattern.MemoryArrangement // the layout in memory
	structureType workload.Type             // the type of the structures in memory, if elements are compounds
}

// denseTransfer is the transfer of a dataset whose elements are contiguous in memory.
var denseTransfer = []datasetTransfer{{}}

// datasetTransfers returns the transfers for the dataset with the given name and element type.
func (m *memoryValue) datasetTransfers(name string, typ workload.Type) ([]datasetTransfer, error) {
	switch {
	case m.members != nil:
		var all []datasetTransfer
		for _, member := range m.members {
			if _, _, is := typ.MemberByName(member); !is {
				return nil, fmt.Errorf("the type of %s has no member %q", name, member)
			}
			all = append(all, datasetTransfer{member: member})
		}
		return all, nil
	case m.structureType == nil && m.form.Kind == pattern.Dense:
		return denseTransfer, nil
	case m.structureType == nil:
		return []datasetTransfer{{form: m.form}}, nil
	case typ.Class == workload.Compound && len(typ.Array) == 0:
		form, err := workload.FormInStructure(*m.structureType, typ)
		return []datasetTransfer{{form: form, structureType: *m.structureType}}, err
	}
	if m.member != "" {
		name = m.member
	}
	member, offset, is := m.structureType.MemberByName(name)
	if !is || member.Bytes() != typ.Bytes() {
		return nil, fmt.Errorf("the structure has no member %q of %d bytes", name, typ.Bytes())
	}
	if n := typ.Bytes(); offset%n != 0 || m.structureType.Bytes()%n != 0 {
		return nil, fmt.Errorf("the member %q of %d bytes begins at byte %d of a structure of %d bytes, but HDF5 "+
			"selects whole elements in memory: give members before and after it, so that both are multiples of %d",
			name, n, offset, m.structureType.Bytes(), n)
	}
	return []datasetTransfer{{form: pattern.MemoryArrangement{
			Kind: pattern.Member, MemberOffset: offset,
			StructBytes: m.structureType.Bytes(),
		}}},
		nil
}
