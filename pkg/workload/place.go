package workload

import (
	"fmt"
	"slices"

	"h5perf/pkg/fill"
	"h5perf/pkg/pattern"
)

// Place gives datasets their places in plain files, and plain files their sizes. Families of one file that have as many
// members alternate: first the first member of each, then the second ones.
func (p *Program) Place() {
	type group struct {
		file  int
		count uint64
	}
	ends := map[int]uint64{}
	var order []group
	sizes := map[group]uint64{}
	for i := range p.Objects {
		o := &p.Objects[i]
		g := group{o.File, o.Count}
		if _, is := sizes[g]; !is {
			order = append(order, g)
			sizes[g] = 0
		}
		if o.Kind == DatasetObject {
			sizes[g] += o.Bytes()
		}
	}
	bases := map[group]uint64{}
	for _, g := range order {
		bases[g] = ends[g.file]
		ends[g.file] += sizes[g] * g.count
	}
	for i := range p.Objects {
		o := &p.Objects[i]
		g := group{o.File, o.Count}
		if o.Kind == DatasetObject {
			o.Base, o.Stride = bases[g], sizes[g]
			bases[g] += o.Bytes()
		}
	}
	sized := map[string]uint64{}
	for i, f := range p.Files {
		sized[f.Name] = max(sized[f.Name], ends[i])
	}
	for i := range p.Files {
		p.Files[i].Bytes = sized[p.Files[i].Name]
	}
}

// Complete sets what of a listed move follows from its selection, its form, its member, and the dataset, whose elements
// have this type in the file.
func (m *Move) Complete(o *Object, typ Type) (err error) {
	from, bytes := uint64(0), typ.Bytes()
	if m.Member != "" {
		member, offset, _ := typ.Member(m.Member)
		from, bytes = offset, member.Bytes()
	}
	if m.Plain, err = plainSelection(m.Selection, o.Dims, from, bytes); err != nil {
		return err
	}
	runs := m.Plain.RunCount()
	m.Region = runs == 1
	m.Buffer = Buffer{Slots: 1, Grain: fill.Grain(bytes)}
	if runs > 0 {
		m.Buffer.Grain = fill.Grain(m.Plain.Bytes() / runs)
	}
	m.Buffer.SlotBytes, err = m.Form.MemoryBytes(m.Plain)
	return err
}

// plainSelection returns a selection of a dataset that has the extent dims in the end, as one of a plain file: of the
// given bytes of each element.
func plainSelection(s pattern.Selection, dims []uint64, from, bytes uint64) (pattern.Selection, error) {
	element := s.Element()
	part := bytes < element
	if !part && slices.Equal(s.Dims(), dims) {
		return s, nil
	}
	more := func(list []uint64, last uint64) []uint64 {
		if !part {
			return list
		}
		return append(slices.Clone(list), last)
	}
	space := more(dims, element)
	if part {
		element = 1
	}
	switch s.Kind() {
	case pattern.None:
		return pattern.Nothing(space, element)
	case pattern.All, pattern.Singular, pattern.Regular:
		q, is := s.Sequence()
		if !is {
			return pattern.Nothing(space, element)
		}
		return pattern.Select(space, element, pattern.Hyperslab{
			Start: more(q.Slab.Start, from), Stride: more(q.Slab.Stride, bytes), Count: more(q.Slab.Count, 1),
			Block: more(q.Slab.Block, bytes),
		})
	case pattern.Irregular:
		rank := len(s.Dims())
		start, extent := s.Boxes()
		var from2, extent2 []uint64
		for i := 0; i < len(start); i += rank {
			from2 = append(from2, more(start[i:i+rank], from)...)
			extent2 = append(extent2, more(extent[i:i+rank], bytes)...)
		}
		return pattern.Union(space, element, from2, extent2)
	case pattern.Points:
		if !part {
			return pattern.PointList(space, element, s.Coordinates())
		}
	}
	return pattern.Selection{}, fmt.Errorf("a selection of kind %v in a part of each element", s.Kind())
}
