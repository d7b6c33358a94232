package pattern

import (
	"iter"
	"slices"
)

// Runs returns the runs of the selection: contiguous ranges of file bytes, as offset and length in bytes, in a dataset
// stored in row-major order. Runs come in the order in which HDF5 fills a buffer. For kind Points this is the order of
// the points; for other kinds the offsets ascend. Runs that follow each other without a gap are joined to one run. A
// run takes O(1) time, or O(log n) for kind Irregular with n boxes. Only kind Irregular needs memory: a few numbers for
// each box.
func (s Selection) Runs() iter.Seq2[uint64, uint64] {
	switch s.kind {
	case Irregular:
		return joinAdjacentRuns(s.eachBoxRun)
	case Points:
		return joinAdjacentRuns(s.eachPointRun)
	}
	return joinAdjacentRuns(s.eachSlabRun)
}

// RunCount returns the number of runs. For kinds Irregular and Points it takes as long as Runs; for other kinds the
// time does not depend on the number of runs.
func (s Selection) RunCount() uint64 {
	switch s.kind {
	case Irregular, Points:
		n := uint64(0)
		for range s.Runs() {
			n++
		}
		return n
	}
	q, ok := s.Sequence()
	if !ok {
		return 0
	}
	n := q.LoopNest()
	count, span := uint64(1), n.RunBytes // runs in one step of a level, and bytes from first to last
	for _, l := range slices.Backward(n.Runs) {
		count *= l.Count
		if l.Stride == span { // the last run of a step and the first run of the next step are one run
			count -= l.Count - 1
		}
		span += (l.Count - 1) * l.Stride
	}
	return count
}

// joinAdjacentRuns joins runs that follow each other without a gap.
func joinAdjacentRuns(runs iter.Seq2[uint64, uint64]) iter.Seq2[uint64, uint64] {
	return func(yield func(uint64, uint64) bool) {
		var offset, bytes uint64
		for at, n := range runs {
			if bytes > 0 && offset+bytes == at {
				bytes += n
				continue
			}
			if bytes > 0 && !yield(offset, bytes) {
				return
			}
			offset, bytes = at, n
		}
		if bytes > 0 {
			yield(offset, bytes)
		}
	}
}

// eachSlabRun yields the runs of a hyperslab or of the whole dataset.
func (s Selection) eachSlabRun(yield func(uint64, uint64) bool) {
	q, ok := s.Sequence()
	if !ok {
		return
	}
	n := q.LoopNest()
	for k := range n.RunsPerTransfer() {
		if !yield(n.RunOffset(0, k), n.RunBytes) {
			return
		}
	}
}

// eachPointRun yields each point as a run.
func (s Selection) eachPointRun(yield func(uint64, uint64) bool) {
	rank := len(s.dims)
	pitch := bytePitches(s.dims, s.element)
	for at := 0; at < len(s.points); at += rank {
		if !yield(elementOffset(s.points[at:at+rank], pitch), s.element) {
			return
		}
	}
}

// elementOffset returns the offset of an element in bytes.
func elementOffset(coordinates, pitch []uint64) uint64 {
	var n uint64
	for d, c := range coordinates {
		n += c * pitch[d]
	}
	return n
}

// eachBoxRun yields the runs of a union of boxes.
func (s Selection) eachBoxRun(yield func(uint64, uint64) bool) {
	s.eachUnionRun(false, func(_ int, at, bytes uint64) bool { return yield(at, bytes) })
}

// findOverlap returns the numbers of two boxes of a union that share an element, and reports whether there are such
// boxes. It compares the runs of the boxes: if boxes overlap, a run begins before the end of the previous run.
func (s Selection) findOverlap() (i, j int, found bool) {
	end := uint64(0)
	s.eachUnionRun(true, func(box int, at, bytes uint64) bool {
		if found = at < end; found {
			j = box
			return false
		}
		i, end = box, at+bytes
		return true
	})
	return i, j, found
}

// eachUnionRun yields the runs of a union, by ascending offsets, with the numbers of their boxes. once makes it faster:
// if the same boxes cover several successive coordinates of a dimension, the runs at these coordinates are alike, and
// it yields only those at the first coordinate.
func (s Selection) eachUnionRun(once bool, yield func(box int, at, bytes uint64) bool) {
	all := make([]int, s.boxes.numBoxes())
	for i := range all {
		all[i] = i
	}
	w := unionSweep{s.boxes, s.dims, bytePitches(s.dims, s.element), once, yield}
	w.walkDimensions(0, all, 0)
}

// unionSweep is the state of Selection.eachUnionRun.
type unionSweep struct {
	boxList
	dims, pitch  []uint64
	oncePerRange bool
	yield        func(box int, at, bytes uint64) bool
}

// walkDimensions yields the runs of the boxes in all, for fixed coordinates in the dimensions below d. offset is the
// offset in bytes of these coordinates. It returns false once yield has returned false. The boxes must be sorted by
// their starts in dimensions d and higher.
func (w *unionSweep) walkDimensions(d int, all []int, offset uint64) bool {
	if d == w.rank-1 {
		for _, i := range all {
			start, shape := w.boxAt(i)
			if !w.yield(i, offset+start[d]*w.pitch[d], shape[d]*w.pitch[d]) {
				return false
			}
		}
		return true
	}
	edges := make([]uint64, 0, 2*len(all)) // coordinates at which boxes begin or end
	for _, i := range all {
		start, shape := w.boxAt(i)
		edges = append(edges, start[d], start[d]+shape[d])
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	begun := make([]int, 0, len(all)) // boxes that contain the current coordinate
	for k, from := range edges {
		begun = slices.DeleteFunc(begun, func(i int) bool {
			start, shape := w.boxAt(i)
			return start[d]+shape[d] == from
		})
		for len(all) > 0 && w.start[all[0]*w.rank+d] == from {
			begun, all = append(begun, all[0]), all[1:]
		}
		if len(begun) > 0 && !w.walkRange(d, begun, from, edges[k+1], offset) {
			return false
		}
	}
	return true
}

// walkRange yields the runs of the boxes in all that lie in a range of dimension d, from coordinate from to coordinate
// to-1. Every one of these boxes covers the whole range.
func (w *unionSweep) walkRange(d int, all []int, from, to, offset uint64) bool {
	if _, shape := w.boxAt(all[0]); len(all) == 1 && slices.Equal(shape[d+1:], w.dims[d+1:]) {
		return w.yield(all[0], offset+from*w.pitch[d], (to-from)*w.pitch[d])
	}
	all = slices.Clone(all)
	slices.SortFunc(all, func(i, j int) int {
		return slices.Compare(w.start[i*w.rank+d+1:(i+1)*w.rank], w.start[j*w.rank+d+1:(j+1)*w.rank])
	})
	if w.oncePerRange {
		to = from + 1
	}
	for ; from < to; from++ {
		if !w.walkDimensions(d+1, all, offset+from*w.pitch[d]) {
			return false
		}
	}
	return true
}

// offsetInBox returns the offset in bytes of the element with index k, in row-major order, in a box of this shape.
func offsetInBox(k uint64, shape, pitch []uint64) uint64 {
	var at uint64
	for d, side := range slices.Backward(shape) {
		at += k % side * pitch[d]
		k /= side
	}
	return at
}
