//go:build cgo

package hdf5

import (
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// familiesWithRewrittenChunks returns, for each family of objects, whether HDF5 reads some of its chunks from the file,
// decodes and changes them, and writes them again. shared reports whether several processes have a file open at the
// same time: HDF5 then writes each transfer to the file. Otherwise it keeps chunks in memory until the file is flushed
// or closed. If processes use a file one after another, each closes it before the next one opens it.
//
// program is the program of one process; other processes may write other parts of the same chunks.
func familiesWithRewrittenChunks(program *workload.Program, shared func(file int) bool) []bool {
	times := make([]int, len(program.Files)) // how often HDF5 has written chunks to the file
	all := make([]writeHistory, len(program.Objects))
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
				w.recordWriteStep(step, times[o.File])
				w.sharesChunks = w.sharesChunks || mayShareChunks(m.Selection, o)
				if shared(o.File) {
					times[o.File]++
				}
			}
		}
	}
	again := make([]bool, len(program.Objects))
	for i := range again {
		inTurns := program.Files[program.Objects[i].File].Group == workload.TurnGroup
		again[i] = all[i].sharesChunks && (inTurns || all[i].rewritten)
	}
	return again
}

// writeHistory summarizes the writes to a family of datasets.
type writeHistory struct {
	membersWritten    uint64 // number of members, up to the last one that was written
	chunkWritesBefore int    // how often HDF5 had written chunks to the file before the first write
	rewritten         bool   // some member is written again after HDF5 has written its chunks to the file
	sharesChunks      bool   // different writes may touch the same chunk
}

// recordWriteStep records that a step writes to the family. times is how often HDF5 has written chunks to the file
// before this step.
func (w *writeHistory) recordWriteStep(step *workload.Step, times int) {
	if w.membersWritten == 0 {
		w.chunkWritesBefore = times
	}
	w.rewritten = w.rewritten || step.First < w.membersWritten && times > w.chunkWritesBefore
	w.membersWritten = max(w.membersWritten, step.First+step.Count)
}

// mayShareChunks reports whether a selection may share chunks with another selection: it may cover a chunk partly, or
// it is the whole dataset. For irregular selections and for points it always returns true, although they may cover
// whole chunks.
func mayShareChunks(s pattern.Selection, o *workload.Object) bool {
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
