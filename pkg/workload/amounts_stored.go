package workload

import (
	"slices"

	"h5perf/pkg/pattern"
)

// This file computes how much of a chunked dataset is stored. In a dataset with filters, HDF5 stores a chunk when it is
// first written. Chunks that nobody writes are not stored.

// writtenChunks counts the chunks of a family of datasets, and those that programs write. A chunk counts once for each
// step and rank that writes it. The numbers are totals over all datasets of the family.
type writtenChunks struct {
	numChunks   uint64 // chunks of all datasets
	chunkBytes  uint64
	byCurrent   uint64 // chunks that the current program writes
	byFirst     uint64 // chunks that rank 0 writes
	maxByOthers uint64 // maximum over the other ranks
}

// storesChunksWhenWritten reports whether the chunks of the dataset are stored only when they are written.
func (o *Object) storesChunksWhenWritten() bool {
	return !o.Null && o.Chunk != nil && len(o.Filters) > 0 && !o.Type.IsVariable() &&
		(o.Fill.Allocate == "" || o.Fill.Allocate == "incremental")
}

// addWrittenChunks adds the chunks that the program of a rank writes, in files that all ranks share or that the rank
// has alone.
func (s *amountSummer) addWrittenChunks(p *Program) {
	if !slices.ContainsFunc(p.Objects, func(o Object) bool { return o.storesChunksWhenWritten() }) {
		s.addUnwrittenInOwnFiles(nil)
		return
	}
	alone := map[string]*writtenChunks{}
	for step := range p.Parts[Write].Steps() {
		if class := step.TimedClass(Write); class != Create && class != Transfer ||
			p.Files[step.File].Group == TurnGroup {
			continue
		}
		shared := p.Files[step.File].Group == All
		o := &p.Objects[step.Object]
		if !o.storesChunksWhenWritten() {
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
				w.numChunks += step.Count * o.NumChunks()
			}
			continue
		}
		for i := range step.Moves() {
			s.addProduct(&w.byCurrent, step.Count, step.NumTransfers, o.maxTouchedChunks(&p.Moves[i]))
		}
	}
	for _, w := range s.written {
		if s.numPrograms == 0 {
			w.byFirst = w.byCurrent
		} else {
			w.maxByOthers = max(w.maxByOthers, w.byCurrent)
		}
		w.byCurrent = 0
	}
	s.addUnwrittenInOwnFiles(alone)
}

// addUnwrittenInOwnFiles adds the bytes of chunks that a rank does not write, in files that it has alone. It sets
// writeToOthers if the rank writes to a dataset that it has not created: then the number of unwritten chunks is not
// known.
func (s *amountSummer) addUnwrittenInOwnFiles(alone map[string]*writtenChunks) {
	unwritten := uint64(0)
	for _, w := range alone {
		s.writeToOthers = s.writeToOthers || w.numChunks == 0
		if w.byCurrent < w.numChunks {
			s.addProduct(&unwritten, w.numChunks-w.byCurrent, w.chunkBytes)
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

// maxTouchedChunks returns an upper bound of the number of chunks of a dataset that a move touches: all chunks if ranks
// divide the dataset by a rule.
func (o *Object) maxTouchedChunks(m *Move) uint64 {
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

// unwrittenBytes returns a lower bound of the size of the chunks that no rank writes, in bytes.
func (s *amountSummer) unwrittenBytes() (bytes uint64) {
	for _, w := range s.written {
		chunks := w.byFirst
		s.addProduct(&chunks, s.ranks-1, w.maxByOthers)
		if chunks < w.numChunks {
			s.addProduct(&bytes, w.numChunks-chunks, w.chunkBytes)
		}
	}
	if !s.writeToOthers {
		s.addProduct(&bytes, s.unwrittenByFirst)
		s.addProduct(&bytes, s.ranks-1, s.unwrittenByOther)
	}
	return bytes
}
