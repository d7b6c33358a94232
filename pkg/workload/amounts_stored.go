package workload

import (
	"maps"
	"slices"

	"h5perf/pkg/pattern"
)

// This file computes how much of the datasets is stored. HDF5 allocates a dataset when it is created, when something is
// first written to it, or chunk by chunk. With a fill value, it stores all of what it allocates. Without, what nobody
// writes is a hole in the file. Filters that compress leave almost nothing of fill values.

// storedParts says which parts of a dataset HDF5 stores.
type storedParts int

const (
	storesAll         storedParts = iota // all, when it is created
	storesAllIfUsed                      // all, when something is written to it
	storesWrittenPart                    // what is written: chunks or, without chunks, bytes
)

// storedParts returns which parts of a dataset HDF5 stores. together says that all ranks have created the file
// together: then HDF5 allocates the dataset when it is created, whatever is asked for.
func (o *Object) storedParts(together bool) storedParts {
	fills := o.Fill.Time == "alloc" || o.Fill.Time != "never" && (o.Chunk != nil || o.Fill.Value != nil)
	switch {
	case o.Null || o.Compact || o.Type.IsVariable(): // HDF5 always fills what has a variable length
		return storesAll
	case o.Compresses() || !fills && len(o.Filters) == 0:
		return storesWrittenPart
	case together || o.Fill.Allocate == "early":
		return storesAll
	case o.Chunk == nil || o.Fill.Allocate == "late":
		return storesAllIfUsed
	}
	return storesWrittenPart
}

// StoresUnwrittenData reports whether HDF5 stores a dataset, in a file that all ranks create together, even if nothing
// is written to it.
func (o *Object) StoresUnwrittenData() bool { return o.storedParts(true) == storesAll }

// writtenStorage counts the bytes that a family of datasets takes if all is stored, and the bytes that programs make
// HDF5 store. A chunk counts once for each step and rank that writes it. The numbers are totals over all datasets of
// the family.
type writtenStorage struct {
	all         uint64
	byCurrent   uint64 // bytes of the current program
	byFirst     uint64 // bytes of rank 0
	maxByOthers uint64 // maximum over the other ranks
}

// addWrittenStorage adds the bytes that the program of a rank makes HDF5 store, in files that all ranks share or that
// the rank has alone. It does not know what is stored in files that ranks write in turns.
func (s *amountSummer) addWrittenStorage(p *Program) {
	alone, paths := map[string]*writtenStorage{}, make([]string, len(p.Objects))
	for step := range p.Parts[Write].Steps() {
		if class := step.TimedClass(Write); class == Create || class == Transfer {
			o := &p.Objects[step.Object]
			if o.Kind != DatasetObject {
				continue
			}
			if paths[step.Object] == "" {
				paths[step.Object] = p.PathOf(step.Object, 0)
			}
			s.addStorageOfStep(p, step, paths, alone)
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

// addStorageOfStep adds the bytes that a step makes HDF5 store, to s.written or, in files that the rank has alone, to
// alone. paths has the paths of families of datasets.
func (s *amountSummer) addStorageOfStep(p *Program, step *Step, paths []string, alone map[string]*writtenStorage) {
	shared := p.Files[step.File].Group == All
	in := alone
	if shared {
		in = s.written
	}
	if step.Class == Create {
		o := &p.Objects[step.Object]
		if o.storedParts(shared) == storesAll || p.Files[step.File].Group == TurnGroup {
			return
		}
		w := in[paths[step.Object]]
		if w == nil {
			w = &writtenStorage{}
			in[paths[step.Object]] = w
		}
		if !shared || s.numPrograms == 0 {
			s.addProduct(&w.all, step.Count, o.StoredBytes())
		}
		return
	}
	for i := range step.Moves() {
		m := &p.Moves[i]
		if paths[m.Object] == "" {
			paths[m.Object] = p.PathOf(m.Object, 0)
		}
		w, path := in[paths[m.Object]], paths[m.Object]
		switch {
		case m.TransferBytes() == 0:
		case w != nil:
			s.addProduct(&w.byCurrent, step.Count, step.NumTransfers, p.Objects[m.Object].storedByMove(m, shared))
		case shared:
			s.writtenTogether[path] = true
		case p.Files[step.File].Group != TurnGroup || s.written[path] != nil:
			s.writeToOthers = true
		}
	}
}

// storedByMove returns an upper bound of the bytes of a dataset that HDF5 stores for a move.
func (o *Object) storedByMove(m *Move, together bool) uint64 {
	switch {
	case o.storedParts(together) != storesWrittenPart:
		return o.StoredBytes()
	case o.Chunk == nil:
		return m.TransferBytes()
	}
	return o.maxTouchedChunks(m) * o.ChunkBytes()
}

// addUnwrittenInOwnFiles adds the bytes that are not stored of the datasets that a rank creates in files that it has
// alone.
func (s *amountSummer) addUnwrittenInOwnFiles(alone map[string]*writtenStorage) {
	unwritten := uint64(0)
	for path, w := range alone {
		s.createdAlone[path] = true
		if w.byCurrent < w.all {
			s.addProduct(&unwritten, w.all-w.byCurrent)
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

// unwrittenBytes returns a lower bound of the bytes of datasets that are not stored.
func (s *amountSummer) unwrittenBytes() (bytes uint64) {
	together := func(path string) bool { return s.writtenTogether[path] }
	if s.writeToOthers || slices.ContainsFunc(slices.Collect(maps.Keys(s.createdAlone)), together) {
		return 0 // it is not known what ranks store in the datasets of others
	}
	for _, w := range s.written {
		stored := w.byFirst
		s.addProduct(&stored, s.ranks-1, w.maxByOthers)
		if stored < w.all {
			s.addProduct(&bytes, w.all-stored)
		}
	}
	s.addProduct(&bytes, s.unwrittenByFirst)
	s.addProduct(&bytes, s.ranks-1, s.unwrittenByOther)
	return bytes
}
