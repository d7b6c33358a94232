package workload

import (
	"slices"

	"h5perf/pkg/pattern"
)

// This file has how much of a chunked dataset is stored. HDF5 stores a chunk of a dataset with filters when the chunk
// is written first, and one that nobody writes never.

// writtenChunks is how many chunks of a family of datasets programs write; a chunk that several steps or ranks write
// counts for each. Numbers are of all datasets of the family together.
type writtenChunks struct {
	number     uint64 // of chunks
	chunkBytes uint64
	own        uint64 // written by the program that is looked at
	first      uint64 // by that of rank 0
	other      uint64 // by any other, at most
}

// storesWhenWritten reports whether chunks of the dataset are stored only when they are written.
func (o *Object) storesWhenWritten() bool {
	return !o.Null && o.Chunk != nil && len(o.Filters) > 0 &&
		(o.Fill.Allocate == "" || o.Fill.Allocate == "incremental")
}

// addWrittenChunks adds the chunks that the program of a rank writes, in files that all ranks share or one has alone.
func (s *amountSummer) addWrittenChunks(p *Program) {
	if !slices.ContainsFunc(p.Objects, func(o Object) bool { return o.storesWhenWritten() }) {
		s.addUnwrittenAlone(nil)
		return
	}
	alone := map[string]*writtenChunks{}
	for step := range p.Parts[Write].Steps() {
		if step.Class != Create && step.Class != Transfer || p.Files[step.File].Group == Band {
			continue
		}
		shared := p.Files[step.File].Group == All
		o := &p.Objects[step.Object]
		if !o.storesWhenWritten() {
			continue
		}
		path := p.PathOf(step.Object, 0)
		in := alone
		if shared {
			in = s.written
		}
		w := in[path]
		if w == nil {
			w = &writtenChunks{chunkBytes: o.ChunkBytes()}
			in[path] = w
		}
		if step.Class == Create {
			if !shared || s.numPrograms == 0 {
				w.number += step.Count * o.NumChunks()
			}
			continue
		}
		for i := range step.Moves() {
			s.addProduct(&w.own, step.Count, step.Times, o.mostChunks(&p.Moves[i]))
		}
	}
	for _, w := range s.written {
		if s.numPrograms == 0 {
			w.first = w.own
		} else {
			w.other = max(w.other, w.own)
		}
		w.own = 0
	}
	s.addUnwrittenAlone(alone)
}

// addUnwrittenAlone adds what a rank does not write of the datasets in files that it has alone. Nothing is known of
// those to which another rank writes.
func (s *amountSummer) addUnwrittenAlone(alone map[string]*writtenChunks) {
	unwritten := uint64(0)
	for _, w := range alone {
		s.writeToOthers = s.writeToOthers || w.number == 0
		if w.own < w.number {
			s.addProduct(&unwritten, w.number-w.own, w.chunkBytes)
		}
	}
	switch s.numPrograms {
	case 0:
		s.unwrittenByFirst = unwritten
	case 1:
		s.unwrittenByOther = unwritten
	default:
		s.unwrittenByOther = min(s.unwrittenByOther, unwritten)
	}
}

// mostChunks returns the number of chunks of a dataset in which a move has elements, at most: all of them if ranks
// divide the dataset by a rule.
func (o *Object) mostChunks(m *Move) uint64 {
	all := o.NumChunks()
	if !m.Listed || m.Rule.Name != "" {
		return all
	}
	count := func(start, extent []uint64) uint64 {
		n := uint64(1)
		for d, chunk := range o.Chunk {
			n *= (start[d]+extent[d]-1)/chunk - start[d]/chunk + 1
		}
		return n
	}
	selection := m.Selection
	most := uint64(0)
	switch selection.Kind() {
	case pattern.Irregular:
		starts, extents := selection.Boxes()
		for rank := len(o.Chunk); len(starts) > 0; starts, extents = starts[rank:], extents[rank:] {
			most += count(starts, extents)
		}
	case pattern.Points:
		most = selection.NumElements()
	case pattern.Singular, pattern.Regular:
		slab := selection.Slab()
		around := make([]uint64, len(o.Chunk))
		for d := range around {
			around[d] = (slab.Count[d]-1)*slab.Stride[d] + slab.Block[d]
		}
		most = count(slab.Start, around)
	case pattern.All:
		most = all
	}
	return min(all, most)
}

// unwrittenBytes returns the size of the chunks that no rank writes, at least.
func (s *amountSummer) unwrittenBytes() (bytes uint64) {
	for _, w := range s.written {
		chunks := w.first
		s.addProduct(&chunks, s.ranks-1, w.other)
		if chunks < w.number {
			s.addProduct(&bytes, w.number-chunks, w.chunkBytes)
		}
	}
	if !s.writeToOthers {
		s.addProduct(&bytes, s.unwrittenByFirst)
		s.addProduct(&bytes, s.ranks-1, s.unwrittenByOther)
	}
	return bytes
}
