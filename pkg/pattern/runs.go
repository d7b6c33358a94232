package pattern

import (
	"container/heap"
	"iter"
	"slices"
)

// Runs returns the contiguous runs of file bytes of the selection, as offset and length in bytes, for a dataset
// stored in row-major order. They have the order in which HDF5 fills a buffer: ascending offsets, but for Points that
// of the points. Runs that follow each other without a gap are one run. The cost is O(1) for a run, of Irregular
// O(log n) for n boxes; only Irregular needs memory, for boxes that have begun and not ended.
func (s Selection) Runs() iter.Seq2[uint64, uint64] {
	switch s.kind {
	case Irregular:
		return merged(s.boxRuns)
	case Points:
		return merged(s.pointRuns)
	}
	return merged(s.slabRuns)
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
	return q.Slab.runs(q.Dims)
}

// runs returns the number of runs of the hyperslab, where those that follow each other are one.
func (h Hyperslab) runs(dims []uint64) uint64 {
	last := len(dims) - 1 // fastest dimension that is not covered completely
	for last >= 0 {
		if _, block := h.joined(last); block < dims[last] {
			break
		}
		last--
	}
	if last < 0 {
		return 1
	}
	rows := uint64(1)
	for d := range last {
		rows *= h.Count[d] * h.Block[d]
	}
	count, block := h.joined(last)
	n := rows * count
	if (count-1)*h.Stride[last]+block == dims[last] { // a row ends where the next one begins
		n -= rows - h.runs(dims[:last])
	}
	return n
}

// merged joins runs that follow each other without a gap.
func merged(runs iter.Seq2[uint64, uint64]) iter.Seq2[uint64, uint64] {
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

// slabRuns yields the runs of everything and of a hyperslab.
func (s Selection) slabRuns(yield func(uint64, uint64) bool) {
	q, ok := s.Sequence()
	if !ok {
		return
	}
	n := q.Nest()
	for k := range n.RunsPerTransfer() {
		if !yield(n.Offset(0, k), n.RunBytes) {
			return
		}
	}
}

// pointRuns yields each point.
func (s Selection) pointRuns(yield func(uint64, uint64) bool) {
	rank := len(s.dims)
	pitch := pitches(s.dims, s.element)
	for at := 0; at < len(s.points); at += rank {
		if !yield(offset(s.points[at:at+rank], pitch), s.element) {
			return
		}
	}
}

// offset returns where an element is, in bytes.
func offset(coordinates, pitch []uint64) uint64 {
	var n uint64
	for d, c := range coordinates {
		n += c * pitch[d]
	}
	return n
}

// boxRuns yields the runs of a union. All boxes go through the leading dimensions together.
func (s Selection) boxRuns(yield func(uint64, uint64) bool) {
	pitch := pitches(s.dims, s.element)
	lead := s.boxes.leading()
	from, shape := s.boxes.at(0)
	base := offset(from[:lead], pitch)
	for k := range product(shape[:lead]) {
		at := base + place(k, shape[:lead], pitch)
		if !s.interleave(lead, func(r row) bool { return yield(at+r.at, r.bytes) }) {
			return
		}
	}
}

// overlap returns two boxes of a union that have an element in common, and reports whether there are such: then a run
// begins before the end of the one before it.
func (s Selection) overlap() (i, j int, found bool) {
	end := uint64(0)
	s.interleave(s.boxes.leading(), func(r row) bool {
		if found = r.at < end; found {
			j = r.box
			return false
		}
		i, end = r.box, r.at+r.bytes
		return true
	})
	return i, j, found
}

// interleave yields the runs of a union in the dimensions from lead on, and reports whether more are wanted. Boxes
// begin in the order in which they are held. The heap has the next runs of those that have begun.
func (s Selection) interleave(lead int, yield func(row) bool) bool {
	var begun rows
	dims, pitch := s.dims[lead:], pitches(s.dims, s.element)[lead:]
	for i, n := 0, s.boxes.count(); i < n || len(begun) > 0; {
		if i < n {
			from, shape := s.boxes.at(i)
			if at := offset(from[lead:], pitch); len(begun) == 0 || at < begun[0].at {
				r := newRow(i, at, dims, shape[lead:], pitch)
				if !yield(r) {
					return false
				}
				if r.next(pitch) {
					heap.Push(&begun, r)
				}
				i++
				continue
			}
		}
		if !yield(begun[0]) {
			return false
		}
		if begun[0].next(pitch) {
			heap.Fix(&begun, 0)
		} else {
			heap.Pop(&begun)
		}
	}
	return true
}

// place returns where place k in row-major order of a box of this shape is, in bytes from its beginning.
func place(k uint64, shape, pitch []uint64) uint64 {
	var at uint64
	for d, side := range slices.Backward(shape) {
		at += k % side * pitch[d]
		k /= side
	}
	return at
}

// row is a run of a box.
type row struct {
	box       int // its number
	at, bytes uint64
	start     uint64   // of the first run
	number    uint64   // of the run in its box
	count     uint64   // of runs of the box
	shape     []uint64 // of the box, in dimensions that are slower than a run
}

// partial returns the fastest dimension that a box does not cover completely, or the slowest one.
func partial(shape, dims []uint64) int {
	d := len(shape) - 1
	for d > 0 && shape[d] == dims[d] {
		d--
	}
	return d
}

// newRow returns the first run of a box that begins at an offset in bytes.
func newRow(box int, at uint64, dims, shape, pitch []uint64) row {
	d := partial(shape, dims)
	return row{box: box, at: at, bytes: shape[d] * pitch[d], start: at, count: product(shape[:d]), shape: shape[:d]}
}

// next moves to the next run of the box, and reports whether there is one.
func (r *row) next(pitch []uint64) bool {
	r.number++
	if r.number == r.count {
		return false
	}
	r.at = r.start + place(r.number, r.shape, pitch)
	return true
}

// rows is a heap of runs by their offsets.
type rows []row

func (r rows) Len() int           { return len(r) }
func (r rows) Less(i, j int) bool { return r[i].at < r[j].at }
func (r rows) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }

// Push adds a row at the end of the slice.
func (r *rows) Push(x any) { *r = append(*r, x.(row)) }

// Pop removes the last row of the slice.
func (r *rows) Pop() any {
	last := len(*r) - 1
	x := (*r)[last]
	*r = (*r)[:last]
	return x
}
