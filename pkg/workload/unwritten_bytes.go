package workload

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"h5perf/pkg/pattern"
)

// maxComparedRuns is the largest number of byte runs that are compared, over all ranks and datasets. Boxes and points
// of selections count as runs.
const maxComparedRuns = 1 << 18

// byteRange is the range of bytes [from, to) of a dataset.
type byteRange struct{ from, to uint64 }

// writtenBytes is the bytes of a dataset that ranks write.
type writtenBytes struct {
	typeAndExtent string      // type and extent of the dataset
	unknown       bool        // typeAndExtent differs between ranks
	ranges        []byteRange // sorted and disjoint after joinRanges
}

// FindUnwrittenBytes returns the fault of a read of bytes that no rank has written. programs has the programs of all
// ranks of a job, after CheckPrograms of package bench has accepted them. It returns nil if there is no such read, or
// if there are too many byte runs to compare.
func FindUnwrittenBytes(programs []Program) *Fault {
	c := byteComparison{datasets: map[string]*writtenBytes{}}
	for i := range programs {
		c.addWrites(&programs[i])
	}
	for _, d := range c.datasets {
		d.ranges = joinRanges(d.ranges)
	}
	for i := range programs {
		if f := c.findUnwritten(i, &programs[i]); f != nil && c.runs <= maxComparedRuns {
			return f
		}
	}
	return nil
}

// byteComparison compares the bytes that all ranks write and read.
type byteComparison struct {
	datasets map[string]*writtenBytes // by place
	runs     uint64                   // number of compared runs; above maxComparedRuns if some are left out
}

// addWrites adds the bytes that a rank writes.
func (c *byteComparison) addWrites(p *Program) {
	own := map[string][]byteRange{}
	names := p.memberNamings()
	for s := range p.Parts[Write].Steps() {
		switch s.TimedClass(Write) {
		case Transfer:
			for i := range s.Moves() {
				m := &p.Moves[i]
				for d := range c.datasetsOfStep(p, names, s, m.Object, m) {
					c.compareTypeAndExtent(d, &p.Objects[m.Object])
					own[d] = appendRuns(own[d], p, m)
				}
			}
		case Extend:
			for d := range c.datasetsOfStep(p, names, s, s.Object, nil) {
				c.compareTypeAndExtent(d, &p.Objects[s.Object])
				own[d] = rangesWithinExtent(own[d], &p.Objects[s.Object], s.Extent)
			}
		}
	}
	for where, ranges := range own {
		d := c.datasets[where]
		d.ranges = append(d.ranges, ranges...)
	}
}

// datasetsOfStep yields the first place and the member number of each dataset that a step uses. It counts the runs of
// the move m in them, and stops when there are too many.
func (c *byteComparison) datasetsOfStep(p *Program, names []memberNaming, s *Step, family int, m *Move,
) iter.Seq2[string, uint64] {
	return func(yield func(string, uint64) bool) {
		family = p.FirstNames(family) // data stay with an object that is renamed
		o, n := &p.Objects[family], &names[family]
		switch {
		case c.runs > maxComparedRuns:
			return
		case n.shared || n.isOfFamily: // other families may have these datasets in other places
			c.runs = maxComparedRuns + 1
			return
		}
		runs := uint64(1)
		if m != nil {
			runs += runCostOfSelection(m.PlainSelection)
		}
		for at := range n.rangesOf(o, s.First, s.Count) {
			place := placeName(p.Files[o.File].Name, at.numberedPlace) + " "
			for number := at.from; number < at.to; number++ {
				c.runs += runs
				if c.runs > maxComparedRuns || !yield(place+strconv.FormatUint(number, 10), at.member+number-at.from) {
					return
				}
			}
		}
	}
}

// runCostOfSelection returns the number of boxes, points or runs of a selection: the cost to compute its runs.
func runCostOfSelection(s pattern.Selection) uint64 {
	switch s.Kind() {
	case pattern.Irregular:
		start, _ := s.Boxes()
		return uint64(len(start) / len(s.Dims()))
	case pattern.Points:
		return s.NumElements()
	}
	return s.RunCount()
}

// compareTypeAndExtent notes the type and the extent of a dataset, and whether ranks differ in them.
func (c *byteComparison) compareTypeAndExtent(where string, o *Object) {
	like := fmt.Sprint(o.Type, o.Dims)
	d := c.datasets[where]
	if d == nil {
		d = &writtenBytes{typeAndExtent: like}
		c.datasets[where] = d
	}
	d.unknown = d.unknown || d.typeAndExtent != like
}

// appendRuns appends the byte ranges that a move writes in each dataset.
func appendRuns(to []byteRange, p *Program, m *Move) []byteRange {
	if !m.Listed {
		return append(to, byteRange{0, p.Objects[m.Object].Bytes()})
	}
	for at, bytes := range m.PlainSelection.Runs() {
		to = append(to, byteRange{at, at + bytes})
	}
	return to
}

// rangesWithinExtent returns the byte ranges that remain when the extent of the dataset changes.
func rangesWithinExtent(all []byteRange, o *Object, extent []uint64) (left []byteRange) {
	if len(extent) == 0 || len(extent) != len(o.Dims) || !slices.Equal(extent[1:], o.Dims[1:]) {
		return all // an upper bound
	}
	end := o.Type.Bytes() * pattern.Product(extent)
	for _, r := range all {
		if r.from < end {
			left = append(left, byteRange{r.from, min(r.to, end)})
		}
	}
	return left
}

// joinRanges sorts ranges, and joins those that touch or overlap.
func joinRanges(all []byteRange) (joined []byteRange) {
	slices.SortFunc(all, func(a, b byteRange) int { return cmp.Compare(a.from, b.from) })
	for _, r := range all {
		if last := len(joined) - 1; last >= 0 && r.from <= joined[last].to {
			joined[last].to = max(joined[last].to, r.to)
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// findUnwritten returns the fault of the first read of this rank that includes bytes that no rank has written.
func (c *byteComparison) findUnwritten(rank int, p *Program) *Fault {
	for op := range p.Parts {
		if f := c.findUnwrittenInPart(rank, p, Op(op)); f != nil {
			return f
		}
	}
	return nil
}

func (c *byteComparison) findUnwrittenInPart(rank int, p *Program, op Op) *Fault {
	names := p.memberNamings()
	for s, m := range p.Transfers(&p.Parts[op]) {
		if op == Write && !s.IsReadBack(op) {
			continue
		}
		o := &p.Objects[m.Object]
		for where, member := range c.datasetsOfStep(p, names, s, m.Object, m) {
			c.compareTypeAndExtent(where, o)
			d := c.datasets[where]
			if d.unknown {
				continue
			}
			if at, is := d.firstUnwritten(m); is {
				return &Fault{s.Line, fmt.Sprintf("%s of dataset %s is read by rank %d, but no rank has written all "+
					"of it: a run that checks data finds others; write it first, or leave it out", elementText(o, at),
					p.PathOf(m.Object, member), rank)}
			}
		}
	}
	return nil
}

// firstUnwritten returns the first byte that a move reads and that no rank has written; false if there is none.
func (d *writtenBytes) firstUnwritten(m *Move) (uint64, bool) {
	for at, bytes := range m.PlainSelection.Runs() {
		if missing := d.firstMissing(at); missing < at+bytes {
			return missing, true
		}
	}
	return 0, false
}

// firstMissing returns the first byte at or after from that no rank has written.
func (d *writtenBytes) firstMissing(from uint64) uint64 {
	i, _ := slices.BinarySearchFunc(d.ranges, from, func(r byteRange, at uint64) int {
		if r.to <= at {
			return -1
		}
		return 1
	})
	if i < len(d.ranges) && d.ranges[i].from <= from {
		return d.ranges[i].to
	}
	return from
}

// elementText returns the indices of the element that contains byte at of a dataset, for messages.
func elementText(o *Object, at uint64) string {
	index, number := make([]uint64, len(o.Dims)), at/o.Type.Bytes()
	for d := len(index) - 1; d >= 0; d-- {
		index[d], number = number%o.Dims[d], number/o.Dims[d]
	}
	return "element " + extentText(index)
}
