package script

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"h5perf/pkg/pattern"
)

// never is the fill time of storage that is not filled.
const never = "never"

// stored returns the workload with its datasets in a kind of storage, which is not filled unless the workload says
// when. Datasets that are compact, scalar or empty stay as they are.
func (m *maker) stored(w Workload, storage LayoutStorage) (Workload, error) {
	w = copied(w)
	r := m.given
	r.Workload = w
	shares, err := r.Shares(0, m.job)
	if err != nil {
		return w, err
	}
	done := 0
	for _, name := range slices.Sorted(maps.Keys(w.Objects)) {
		o := w.Objects[name]
		share, is := shares[name]
		switch {
		case !o.IsDataset() || o.Compact:
			continue
		case o.MaxExtent != nil && storage == Contiguous:
			return w, fmt.Errorf("%s can be extended", name)
		case o.Filters != nil && storage == Contiguous:
			return w, fmt.Errorf("%s has filters", name)
		case o.MaxExtent != nil:
			done++ // keeps its chunks
		case !is || slices.Contains(share.Dims, 0) || len(share.Dims) == 0:
			continue
		case storage == Contiguous:
			o.Chunk = nil
			done++
		default:
			if o.Chunk, err = m.chunks(share); err != nil {
				return w, fmt.Errorf("%s: %w", name, err)
			}
			done++
		}
		if o.Fill == "" {
			o.Fill = never
		}
		w.Objects[name] = o
	}
	if done == 0 {
		return w, errors.New("no dataset can be stored in another way")
	}
	return w, nil
}

// largestChunk is the number of bytes that a chunk of HDF5 can have.
const largestChunk = math.MaxUint32

// chunks returns the extent of the chunks of a dataset.
func (m *maker) chunks(s Share) ([]Number, error) {
	if !s.Alike {
		return nil, errors.New("its extent is not the same for all of its datasets")
	}
	extent, err := box(s.Selection)
	if len(m.chunk) > 0 {
		extent, err = m.extent(s)
	}
	if err != nil {
		return nil, err
	}
	chunk, bytes := make([]Number, len(extent)), s.Element
	for d, n := range extent {
		if bytes > largestChunk/n {
			return nil, fmt.Errorf("a chunk of %v elements of %d bytes has more than 4 GiB, the limit of HDF5", extent,
				s.Element)
		}
		bytes *= n
		chunk[d] = Integer(int(n))
	}
	return chunk, nil
}

// extent returns the extent that is chosen for chunks, as one of a dataset.
func (m *maker) extent(s Share) ([]uint64, error) {
	before := len(s.Dims) - len(m.chunk)
	if before < 0 {
		return nil, fmt.Errorf("a chunk of extent %v has more dimensions than the dataset, %v", m.chunk, s.Dims)
	}
	extent := slices.Concat(slices.Repeat([]uint64{1}, before), m.chunk)
	for d := range extent {
		extent[d] = min(extent[d], s.Dims[d])
	}
	return extent, nil
}

var errNoBox = errors.New("the part of a rank is not a block, so that it cannot be a chunk: choose the extent " +
	"of chunks")

// box returns the extent of a selection that is one box.
func box(s pattern.Selection) ([]uint64, error) {
	switch s.Kind() {
	case pattern.All:
		return s.Dims(), nil
	case pattern.Singular, pattern.Regular:
		slab := s.Slab()
		extent := make([]uint64, len(slab.Count))
		for d, n := range slab.Count {
			if n > 1 && slab.Stride[d] != slab.Block[d] {
				return nil, errNoBox
			}
			extent[d] = n * slab.Block[d]
		}
		return extent, nil
	}
	return nil, errNoBox
}

// moded returns the workload with all transfers in a mode. Those of some ranks are independent, as they are.
func moded(w Workload, mode LayoutMode) (Workload, error) {
	w = copied(w)
	var change func(all Steps) (Steps, error)
	change = func(all Steps) (Steps, error) {
		all = slices.Clone(all)
		for i := range all {
			s := &all[i]
			if s.On != "" {
				continue
			}
			if s.Mode != nil {
				s.Mode = NewMode(string(mode))
			}
			for _, word := range s.Write {
				if mode == Independent && w.Objects[word.String()].Filters != nil {
					return nil, fmt.Errorf("%s has filters: HDF5 writes them collectively only", word)
				}
			}
			var err error
			if s.Do, err = change(s.Do); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	for _, p := range []*Part{w.Write, w.Read} {
		if err := rewritten(p, change); err != nil {
			return w, err
		}
	}
	return w, nil
}
