package pattern

import (
	"iter"
	"slices"
)

// Runs returns the contiguous runs of file bytes of the selection, as offset and length in bytes, for a dataset
// stored in row-major order. They have the order in which HDF5 fills a buffer: ascending offsets, but for Points that
// of the points. Runs that follow each other without a gap are one run. The cost is O(1) for a run, of Irregular
// O(log n) for n boxes; only Irregular needs memory, a few numbers for each box.
func (s Selection) Runs() iter.Seq2[uint64, uint64] {
	switch s.kind {
	case Irregular:
		return joinAdjacentRuns(s.eachBoxRun)
	case Points:
		return joinAdjacentRuns(s.eachPointRun)
	}
	return joinAdjacentRuns(s.eachSlabRun)
}

// RunCount returns the number of runs. The cost is that of Runs for Irregular and Points, and does not depend on the
// number of runs for others.
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
	n := q.Nest()
	count, span := uint64(1), n.RunBytes // of one step of a level: from its first run to the end of its last one
	for _, l := range slices.Backward(n.Runs) {
		count *= l.Count
		if l.Stride == span { // a step ends where the next one begins
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

// eachSlabRun yields the runs of everything and of a hyperslab.
func (s Selection) eachSlabRun(yield func(uint64, uint64) bool) {
	q, ok := s.Sequence()
	if !ok {
		return
	}
	n := q.Nest()
	for k := range n.RunsPerTransfer() {
		if !yield(n.RunOffset(0, k), n.RunBytes) {
			return
		}
	}
}

// eachPointRun yields each point.
func (s Selection) eachPointRun(yield func(uint64, uint64) bool) {
	rank := len(s.dims)
	pitch := bytePitches(s.dims, s.element)
	for at := 0; at < len(s.points); at += rank {
		if !yield(elementOffset(s.points[at:at+rank], pitch), s.element) {
			return
		}
	}
}

// elementOffset returns where an element is, in bytes.
func elementOffset(coordinates, pitch []uint64) uint64 {
	var n uint64
	for d, c := range coordinates {
		n += c * pitch[d]
	}
	return n
}

// eachBoxRun yields the runs of a union.
func (s Selection) eachBoxRun(yield func(uint64, uint64) bool) {
	s.sweepUnion(false, func(_ int, at, bytes uint64) bool { return yield(at, bytes) })
}

// findOverlap returns two boxes of a union that have an element in common, and reports whether there are such: then a
// run begins before the end of the one before it.
func (s Selection) findOverlap() (i, j int, found bool) {
	end := uint64(0)
	s.sweepUnion(true, func(box int, at, bytes uint64) bool {
		if found = at < end; found {
			j = box
			return false
		}
		i, end = box, at+bytes
		return true
	})
	return i, j, found
}

// sweepUnion yields the runs of a union with the numbers of their boxes, by ascending offsets. once: where the same
// boxes go through a dimension together, only at the first of these coordinates.
func (s Selection) sweepUnion(once bool, yield func(box int, at, bytes uint64) bool) {
	all := make([]int, s.boxes.numBoxes())
	for i := range all {
		all[i] = i
	}
	w := unionSweep{s.boxes, s.dims, bytePitches(s.dims, s.element), once, yield}
	w.walkDimensions(0, all, 0)
}

// unionSweep is a sweep: see Selection.sweepUnion.
type unionSweep struct {
	boxList
	dims, pitch  []uint64
	oncePerRange bool
	yield        func(box int, at, bytes uint64) bool
}

// walkDimensions yields the runs of boxes in the dimensions from d on, at an offset in bytes. It reports whether more
// are wanted. The boxes have the order of their starts in these dimensions.
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
	begun := make([]int, 0, len(all)) // boxes that have begun and not ended
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

// walkRange yields the runs of boxes that go through a dimension together, from one coordinate to before another.
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

// offsetInBox returns where place k in row-major order of a box of this shape is, in bytes from its beginning.
func offsetInBox(k uint64, shape, pitch []uint64) uint64 {
	var at uint64
	for d, side := range slices.Backward(shape) {
		at += k % side * pitch[d]
		k /= side
	}
	return at
}
