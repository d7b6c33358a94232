package workload

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"h5perf/pkg/pattern"
)

// neverFill is the fill time of storage that HDF5 does not fill.
const neverFill = "never"

// applyStorage returns the program with its datasets in the storage of the layout. HDF5 writes no fill values to them,
// unless the workload sets the fill time. Datasets that are compact, external, scalar or empty, or that rank 0 does not
// write, keep their storage.
func (l Layout) applyStorage(first, p Program) (Program, error) {
	shares, own, others := first.firstWrites(), p.firstWrites(), p.familiesOfFirstRank(&first)
	p.Objects = slices.Clone(p.Objects)
	done := false
	for i := range p.Objects {
		o := &p.Objects[i]
		part := own[i]
		if at := others[i]; at >= 0 {
			part = shares[at]
		}
		switch {
		case o.Kind != DatasetObject || o.Compact || o.External:
			continue
		case o.MaxExtent != nil && l.Storage == StorageContiguous:
			return p, fmt.Errorf("%s can be extended; try %s-%s-…", p.PathOf(i, 0), l.Form, StorageChunked)
		case len(o.Filters) > 0 && l.Storage == StorageContiguous:
			return p, fmt.Errorf("%s has filters; try %s-%s-…", p.PathOf(i, 0), l.Form, StorageChunked)
		case o.MaxExtent != nil: // the dataset keeps its chunks
		case part == nil || slices.Contains(o.Dims, 0) || len(o.Dims) == 0:
			continue
		case l.Storage == StorageContiguous:
			o.Chunk = nil
		default:
			var err error
			if o.Chunk, err = l.chunkExtent(o, part); err != nil {
				return p, fmt.Errorf("%s: %w", p.PathOf(i, 0), err)
			}
		}
		done = true
		if o.Fill.Time == "" && !o.Type.IsVariable() { // HDF5 always fills what has a variable length
			o.Fill.Time = neverFill
		}
	}
	if !done && (len(own) > 0 || len(shares) == 0) { // otherwise this rank writes nothing
		return p, errors.New("no dataset can be stored in another way")
	}
	return p, nil
}

// firstWrites returns, for each family of datasets, the first move that writes it.
func (p *Program) firstWrites() map[int]*Move {
	all := map[int]*Move{}
	for _, m := range p.Transfers(&p.Parts[Write]) {
		all[m.Object] = cmp.Or(all[m.Object], m)
	}
	return all
}

// familiesOfFirstRank returns, for each family of objects, the family of rank 0 with the same position among the
// families of the same file. It is -1 if there is none, or if each process has the file alone.
func (p *Program) familiesOfFirstRank(first *Program) []int {
	places := func(p *Program) (all []string) {
		seen := map[string]int{}
		for i := range p.Objects {
			file := p.Files[p.Objects[i].File].Name
			all, seen[file] = append(all, fmt.Sprint(seen[file], " ", file)), seen[file]+1
		}
		return all
	}
	there := map[string]int{}
	for i, place := range places(first) {
		there[place] = i
	}
	all := make([]int, len(p.Objects))
	for i, place := range places(p) {
		all[i] = -1
		if at, is := there[place]; is && p.Files[p.Objects[i].File].Group != Self {
			all[i] = at
		}
	}
	return all
}

// maxChunkBytes is the largest size of a chunk in HDF5.
const maxChunkBytes = math.MaxUint32

// chunkExtent returns the extent of the chunks of a dataset. part is the move with which rank 0 writes its part.
func (l Layout) chunkExtent(o *Object, part *Move) ([]uint64, error) {
	extent, err := extentOfBox(part)
	if len(l.Chunk) > 0 {
		extent, err = l.chosenExtent(o.Dims)
	}
	if err != nil {
		return nil, err
	}
	bytes, elements := o.Type.Bytes(), pattern.Product(extent)
	for _, n := range extent {
		if bytes > maxChunkBytes/n {
			return nil, fmt.Errorf("a chunk of %v elements of %d bytes has more than 4 GiB, the limit of HDF5", extent,
				o.Type.Bytes())
		}
		bytes *= n
	}
	for _, f := range o.Filters {
		if f.Name == "szip" && uint64(f.Level) > elements {
			return nil, fmt.Errorf("szip has blocks of %d pixels, but a chunk has only %d", f.Level, elements)
		}
	}
	return extent, nil
}

// chosenExtent returns Layout.Chunk as the extent of chunks of a dataset, with all dimensions. It returns an error if
// the dataset is smaller.
func (l Layout) chosenExtent(dims []uint64) ([]uint64, error) {
	before := len(dims) - len(l.Chunk)
	if before < 0 {
		return nil, fmt.Errorf("a chunk of extent %v has more dimensions than the dataset, %v", l.Chunk, dims)
	}
	extent := slices.Concat(slices.Repeat([]uint64{1}, before), l.Chunk)
	for d := range extent {
		if extent[d] > dims[d] {
			return nil, fmt.Errorf("a chunk of extent %s is larger than the dataset: give an extent of at most %s",
				chunkText(l.Chunk), chunkText(dims[before:]))
		}
	}
	return extent, nil
}

var errNotBlock = errors.New("the part of a rank is not a block, so that it cannot be a chunk: choose the extent " +
	"of chunks, such as chunked-8x7")

// extentOfBox returns the extent of the part of a rank, or an error if the part is not a single box.
func extentOfBox(part *Move) ([]uint64, error) {
	kind := part.Selection.Kind()
	if part.OneRun || kind != pattern.All && kind != pattern.Singular {
		return nil, errNotBlock
	}
	extent, _ := part.Selection.BufferShape()
	return extent, nil
}

// applyMode returns the program with all transfers in mode m, collective or independent. Transfers in files that a
// process opens alone keep their mode, since no other process can take part.
func (m LayoutMode) applyMode(p Program) (Program, error) {
	p.Moves = slices.Clone(p.Moves)
	for op := range p.Parts {
		for s, move := range p.Transfers(&p.Parts[op]) {
			if p.Files[s.File].Group != All {
				continue
			}
			path := p.PathOf(move.Object, s.First)
			switch filtered := len(p.Objects[move.Object].Filters) > 0; {
			case m == ModeIndependent && s.Op == Write && filtered:
				return p, fmt.Errorf("%s has filters: HDF5 writes them collectively only; try …-%s", path,
					ModeCollective)
			case m == ModeCollective && move.OneRun:
				return p, fmt.Errorf("ranks transfer %s in different numbers of runs, one after another: they cannot "+
					"do that collectively; try …-%s", path, ModeIndependent)
			}
			move.Collective = m == ModeCollective
		}
	}
	return p, nil
}

// Differences returns how many transfers and datasets of a program have another mode or storage than the layout.
func (l Layout) Differences(p *Program) (n int) {
	for op := range p.Parts {
		for s, move := range p.Transfers(&p.Parts[op]) {
			if p.Files[s.File].Group == All && move.Collective != (l.Mode == ModeCollective) {
				n++
			}
		}
	}
	for i := range p.Objects {
		o := &p.Objects[i]
		if o.Kind == DatasetObject && !o.Compact && !o.External && (o.Chunk != nil) != (l.Storage == StorageChunked) {
			n++
		}
	}
	return n
}
