//go:build cgo

package hdf5

import (
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// writtenAgain returns, for each family of objects, whether HDF5 reads some of its chunks from the file, decodes and
// changes them, and writes them again. shared reports whether several processes have a file open together: HDF5 then
// writes each transfer to the file. Otherwise it keeps chunks in memory until the file is flushed or closed. If
// processes use a file in turns, the previous process has closed it.
//
// The program is that of one process. Other processes may write other parts of the same chunks.
func writtenAgain(program *workload.Program, shared func(file int) bool) []bool {
	times := make([]int, len(program.Files)) // how often HDF5 has written chunks to the file
	all := make([]writes, len(program.Objects))
	part := &program.Parts[workload.Write]
	for step := range part.Steps() {
		switch step.Class {
		case workload.Sync, workload.FileClose:
			times[step.File]++
		case workload.Transfer:
			for i := range step.Moves() {
				m := &program.Moves[i]
				o := &program.Objects[m.Object]
				if m.Selection.NumElements() == 0 || o.Chunk == nil {
					continue
				}
				w := &all[m.Object]
				w.write(step, times[o.File])
				w.overlaps = w.overlaps || hasPartsOfChunks(m.Selection, o)
				if shared(o.File) {
					times[o.File]++
				}
			}
		}
	}
	again := make([]bool, len(program.Objects))
	for i := range again {
		inTurns := program.Files[program.Objects[i].File].Group == workload.Band
		again[i] = all[i].overlaps && (inTurns || all[i].again)
	}
	return again
}

// writes summarizes the writes to a family of datasets.
type writes struct {
	written  uint64 // number of members, up to the last one that was written
	times    int    // how often HDF5 had written chunks to the file before the first write
	again    bool   // some member is written again after HDF5 has written its chunks to the file
	overlaps bool   // different writes may touch the same chunk
}

// write records a write. times says how often HDF5 has written chunks to the file before.
func (w *writes) write(step *workload.Step, times int) {
	if w.written == 0 {
		w.times = times
	}
	w.again = w.again || step.First < w.written && times > w.times
	w.written = max(w.written, step.First+step.Count)
}

// hasPartsOfChunks reports whether a selection may share chunks with another selection: it may cover a chunk partly, or
// it is the whole dataset. For irregular selections and points it returns true even if their parts together cover whole
// chunks.
func hasPartsOfChunks(s pattern.Selection, o *workload.Object) bool {
	q, regular := s.Sequence()
	if !regular || s.NumElements() == pattern.Product(o.Dims) {
		return true
	}
	for d, chunk := range o.Chunk {
		start, stride, count, block := q.Slab.Start[d], q.Slab.Stride[d], q.Slab.Count[d], q.Slab.Block[d]
		if count > 1 && stride == block {
			count, block = 1, count*block
		}
		end := start + (count-1)*stride + block
		ends := start%chunk == 0 && (end%chunk == 0 || end == o.Dims[d])
		if !ends || count > 1 && (stride%chunk != 0 || block%chunk != 0) {
			return true
		}
	}
	return false
}
