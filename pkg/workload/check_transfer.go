package workload

import (
	"slices"

	"h5perf/pkg/pattern"
)

// checkTransfer checks a step that transfers data.
func (c *checker) checkTransfer(f *openedFile) error {
	b := &c.step.Batch
	for i := range b.Moves() {
		m := &c.Moves[i]
		if m.Listed && !c.selected[i] {
			return c.currentFault("%s, but its selection was not built in part %s: build it first",
				c.actionText(b.First), c.op)
		}
		if err := c.checkObjectsOpen(m.Object, b.First, b.Count); err != nil {
			return err
		}
		if err := c.checkMoveExtent(f.in, i); err != nil {
			return err
		}
		if m.TransferBytes() == 0 || !c.areStatesReliable(f.in, m.Object) {
			continue
		}
		if c.op == Write && !c.step.IsReadBack(c.op) {
			c.changeStates(f.in, m.Object, "", func(known *objectState) { known.written = true })
		} else if err := c.checkRead(f, m); err != nil {
			return err
		}
	}
	return nil
}

// checkMoveExtent returns an error if a move needs a larger extent than its datasets are known to have.
func (c *checker) checkMoveExtent(in *fileContent, move int) error {
	m := &c.Moves[move]
	if !c.areStatesReliable(in, m.Object) || m.Extends {
		return nil
	}
	for s, v := range c.knownStates(in, m.Object, "") {
		if v.extent == nil || slices.Equal(m.datasetExtent(), *v.extent) {
			continue
		}
		if c.neededExtents[move] == nil {
			c.neededExtents[move] = m.neededExtent()
		}
		if end := c.neededExtents[move]; len(m.datasetExtent()) != len(*v.extent) || !fitsWithin(end, *v.extent) {
			verb := "written"
			if c.op == Read || c.step.IsReadBack(c.op) {
				verb = "read"
			}
			return c.currentFault(
				"%s is %s up to an extent of %s, but its extent is %s: extend it first, or select less",
				c.objectText(m.Object, s.member), verb, extentText(end), extentText(*v.extent))
		}
	}
	return nil
}

// checkRead returns an error if the move reads datasets of which no element was written. If other processes may have
// written elements, it records the read in c.reads instead.
func (c *checker) checkRead(f *openedFile, m *Move) error {
	b := &c.step.Batch
	if c.names[m.Object].shared {
		return nil
	}
	for s, v := range c.knownStates(f.in, m.Object, "") {
		if !v.exists || v.written {
			continue
		}
		r := UnwrittenRead{
			Place: placeName(f.name, s.numberedPlace), From: s.from, To: s.to, Line: c.step.Line,
			object: m.Object, member: s.member,
		}
		if c.Files[b.File].Group != All {
			return c.currentFault("%s", r.reasonText(c.Program, r.From))
		}
		c.reads = append(c.reads, r)
	}
	return nil
}

// datasetExtent returns the extent that the datasets of the move must have.
func (m *Move) datasetExtent() []uint64 {
	if m.Listed {
		return m.Selection.Dims()
	}
	return m.Sequence.Dims
}

// neededExtent returns the smallest extent of a dataset that contains all selected elements.
func (m *Move) neededExtent() []uint64 {
	if !m.Listed {
		return m.Sequence.Dims
	}
	s := m.Selection
	end := make([]uint64, len(s.Dims()))
	most := func(start, extent []uint64) {
		for i, from := range start {
			d := i % len(end)
			end[d] = max(end[d], from+extent[i])
		}
	}
	switch s.Kind() {
	case pattern.All:
		copy(end, s.Dims())
	case pattern.Singular, pattern.Regular:
		slab := s.Slab()
		for d := range end {
			end[d] = slab.Start[d] + (slab.Count[d]-1)*slab.Stride[d] + slab.Block[d]
		}
	case pattern.Irregular:
		most(s.Boxes())
	case pattern.Points:
		points := s.Coordinates()
		most(points, slices.Repeat([]uint64{1}, len(points)))
	}
	return end
}
