package pattern

import (
	"container/heap"
	"iter"
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
	if h.Start[last] == 0 && (count-1)*h.Stride[last]+block == dims[last] { // a row ends where the next one begins
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

// boxRuns yields the runs of a union. Boxes begin in the order in which they are held. The heap has the next runs of
// those that have begun.
func (s Selection) boxRuns(yield func(uint64, uint64) bool) {
	var begun rows
	pitch := pitches(s.dims, s.element)
	for i, n := 0, s.boxes.count(); i < n || len(begun) > 0; {
		if i < n {
			from, shape := s.boxes.at(i)
			if at := offset(from, pitch); len(begun) == 0 || at < begun[0].at {
				if !yield(at, s.rowBytes(shape, pitch)) {
					return
				}
				if r := (row{box: i}); s.next(&r, pitch) {
					heap.Push(&begun, r)
				}
				i++
				continue
			}
		}
		_, shape := s.boxes.at(begun[0].box)
		if !yield(begun[0].at, s.rowBytes(shape, pitch)) {
			return
		}
		if s.next(&begun[0], pitch) {
			heap.Fix(&begun, 0)
		} else {
			heap.Pop(&begun)
		}
	}
}

// row is a run of a box.
type row struct {
	at     uint64 // its offset in bytes
	box    int
	number uint64 // of the run in its box
}

// split returns the fastest dimension that a box of this shape does not cover completely, or 0.
func (s Selection) split(shape []uint64) int {
	d := len(shape) - 1
	for d > 0 && shape[d] == s.dims[d] {
		d--
	}
	return d
}

// rowBytes returns the length of the runs of a box of this shape.
func (s Selection) rowBytes(shape, pitch []uint64) uint64 {
	d := s.split(shape)
	return shape[d] * pitch[d]
}

// next moves to the next run of the box, and reports whether there is one.
func (s Selection) next(r *row, pitch []uint64) bool {
	from, shape := s.boxes.at(r.box)
	r.number++
	rest := r.number
	r.at = offset(from, pitch)
	for d := s.split(shape) - 1; d >= 0; d-- {
		r.at += rest % shape[d] * pitch[d]
		rest /= shape[d]
	}
	return rest == 0
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
