package script

import (
	"fmt"

	"go.starlark.net/starlark"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// memory is how the elements of a transfer lie in memory.
type memory struct {
	value
	form    pattern.Form
	within  *workload.Type // structures that have the elements
	member  string         // of the structures; "": that with the name of the dataset
	members []string       // of the dataset, each by itself
}

func (m *memory) Unpack(v starlark.Value) error {
	given, is := v.(*memory)
	if !is {
		return fmt.Errorf("%s is no form of memory: give ghost(2), strided_memory(2), structures(..) "+
			"or members([..])", shown(v))
	}
	*m = *given
	return nil
}

// ghost returns memory with elements around a block that are not transferred.
func ghost(c call) (starlark.Value, error) {
	m := &memory{value: value{"memory"}, form: pattern.Form{Kind: pattern.Ghost}}
	last := uint64(0)
	err := c.unpack("cells", &m.form.Cells, "last?", &last)
	m.form.Last = int(min(last, pattern.MaxDims+1))
	return m, err
}

// stridedMemory returns memory in which elements are some elements apart.
func stridedMemory(c call) (starlark.Value, error) {
	m := &memory{value: value{"memory"}, form: pattern.Form{Kind: pattern.Strided}}
	err := c.unpack("every", &m.form.Every)
	if err == nil && m.form.Every == 0 {
		err = fmt.Errorf("strided_memory: elements are 0 elements apart: give a number from 1 on")
	}
	return m, err
}

// structures returns memory in which elements are members of structures.
func structures(c call) (starlark.Value, error) {
	m := &memory{value: value{"memory"}}
	var of dtype
	err := c.unpack("dtype", &of, "member?", &m.member)
	m.within = &of.Type
	return m, err
}

// members returns memory that has an array of each member of structures in the file.
func members(c call) (starlark.Value, error) {
	m := &memory{value: value{"memory"}}
	err := c.unpack("names", (*texts)(&m.members))
	return m, err
}

// piece is a transfer of a dataset, or of a member of its elements.
type piece struct {
	member string        // "": all
	form   pattern.Form  // of the memory
	within workload.Type // structures in memory, if elements are compounds
}

// dense are the pieces of a dataset that lies in memory as in the file.
var dense = []piece{{}}

// pieces returns the transfers of a dataset of this name.
func (m *memory) pieces(name string, typ workload.Type) ([]piece, error) {
	switch {
	case m.members != nil:
		var all []piece
		for _, member := range m.members {
			if _, _, is := typ.Member(member); !is {
				return nil, fmt.Errorf("the type of %s has no member %q", name, member)
			}
			all = append(all, piece{member: member})
		}
		return all, nil
	case m.within == nil && m.form.Kind == pattern.Dense:
		return dense, nil
	case m.within == nil:
		return []piece{{form: m.form}}, nil
	case typ.Class == workload.Compound && len(typ.Array) == 0:
		form, err := workload.FormWithin(*m.within, typ)
		return []piece{{form: form, within: *m.within}}, err
	}
	if m.member != "" {
		name = m.member
	}
	member, offset, is := m.within.Member(name)
	if !is || member.Bytes() != typ.Bytes() {
		return nil, fmt.Errorf("the structure has no member %q of %d bytes", name, typ.Bytes())
	}
	if n := typ.Bytes(); offset%n != 0 || m.within.Bytes()%n != 0 {
		return nil, fmt.Errorf("the member %q of %d bytes begins at byte %d of a structure of %d bytes, but HDF5 "+
			"selects whole elements in memory: give members before and after it, so that both are multiples of %d",
			name, n, offset, m.within.Bytes(), n)
	}
	return []piece{{form: pattern.Form{Kind: pattern.Member, Offset: offset, Size: m.within.Bytes()}}}, nil
}
