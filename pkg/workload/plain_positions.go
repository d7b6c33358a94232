package workload

import (
	"fmt"
	"slices"

	"h5perf/pkg/fill"
	"h5perf/pkg/pattern"
)

// PlaceDatasets sets the positions of datasets in plain files, and the sizes of these files. If families of one file
// have the same number of members, their members alternate: the first member of each family, then the second ones.
// Several entries of Files with the same name are one file, which different groups of processes open at different
// times.
func (p *Program) PlaceDatasets() {
	type group struct {
		file  string
		count uint64
	}
	groups := map[group][]*Object{}
	var order []group
	for i := range p.Objects {
		o := &p.Objects[i]
		if o.OldNames > 0 {
			continue
		}
		g := group{p.Files[o.File].Name, o.Count}
		if _, is := groups[g]; !is {
			order, groups[g] = append(order, g), nil
		}
		if o.Kind == DatasetObject {
			groups[g] = append(groups[g], o)
		}
	}
	ends := map[string]uint64{}
	for _, g := range order {
		stride := uint64(0)
		for _, o := range groups[g] {
			o.Base = ends[g.file] + stride
			stride += o.Bytes()
		}
		for _, o := range groups[g] {
			o.Stride = stride
		}
		ends[g.file] += stride * g.count
	}
	for i := range p.Objects { // a family comes after the one whose names it replaces
		if o := &p.Objects[i]; o.OldNames > 0 {
			o.Base, o.Stride = p.Objects[o.OldNames-1].Base, p.Objects[o.OldNames-1].Stride
		}
	}
	for i := range p.Files {
		p.Files[i].Bytes = ends[p.Files[i].Name]
	}
}

// SetDerivedFields sets the fields of a listed move that follow from its selection, form, member and dataset:
// PlainSelection, ContiguousPart and Buffer. typ is the type of the elements in the file.
func (m *Move) SetDerivedFields(o *Object, typ Type) (err error) {
	from, bytes := uint64(0), typ.Bytes()
	if m.Member != "" {
		member, offset, _ := typ.MemberByName(m.Member)
		from, bytes = offset, member.Bytes()
	}
	if m.PlainSelection, err = plainSelection(m.Selection, o.Dims, from, bytes); err != nil {
		return err
	}
	runs := m.PlainSelection.RunCount()
	m.ContiguousPart = runs == 1
	m.Buffer = Buffer{Slots: 1, Grain: fill.StampDistance(bytes)}
	if runs > 0 {
		m.Buffer.Grain = fill.StampDistance(m.PlainSelection.Bytes() / runs)
	}
	m.Buffer.SlotBytes, err = m.Form.MemoryBytes(m.PlainSelection)
	return err
}

// plainSelection converts the selection of a dataset to one of a plain file. dims is the final extent of the dataset.
// Of each element, it selects only a number of bytes, from byte from on.
func plainSelection(s pattern.Selection, dims []uint64, from, bytes uint64) (pattern.Selection, error) {
	switch part := bytes < s.ElementBytes(); {
	case part && s.Kind() == pattern.Points:
		return s, fmt.Errorf("a selection of kind %v in a part of each element", s.Kind())
	case part:
		return s.InDataset(append(slices.Clone(dims), s.ElementBytes()), 1, len(dims), from, bytes)
	case !slices.Equal(s.Dims(), dims):
		return s.InDataset(dims, s.ElementBytes(), 0, 0, 0)
	}
	return s, nil
}
