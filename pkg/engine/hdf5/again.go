//go:build cgo

package hdf5

import (
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// writtenAgain returns, of each family of objects of a program, whether it has chunks that HDF5 reads from the file,
// decodes, changes and writes again. shared reports whether several processes have a file open together: HDF5 then
// writes each transfer to the file. It otherwise keeps chunks in memory until a file is flushed or closed. In turns,
// the file was closed by the process before.
//
// The program is of one process. Others may have other parts of chunks.
func writtenAgain(program *workload.Program, shared func(file int) bool) []bool {
	times := make([]int, len(program.Files)) // that chunks have gone to the file
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

// writes is what is known of a family of datasets that is written.
type writes struct {
	written  uint64 // members, up to the last one
	times    int    // that chunks had gone to the file at the first write
	again    bool   // some member is written after its chunks have gone to the file
	overlaps bool   // writes have chunks in common
}

// write notes a write after chunks have gone to the file so many times.
func (w *writes) write(step *workload.Step, times int) {
	if w.written == 0 {
		w.times = times
	}
	w.again = w.again || step.First < w.written && times > w.times
	w.written = max(w.written, step.First+step.Count)
}

// hasPartsOfChunks reports whether a selection may have a part of a chunk, or is the whole dataset, so that another one
// has the same chunks. It may be wrong about irregular selections and points, whose parts are chunks only together.
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
