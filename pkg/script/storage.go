package script

import (
	"math"
	"math/bits"

	"h5perf/pkg/workload"
)

// Limits of HDF5, which library and file format have in common.
const (
	mostCompact = 65_531         // bytes of a dataset in its header: a message of 64 KiB, less its fields
	mostChunk   = math.MaxUint32 // bytes of a chunk, and elements in each of its dimensions
	mostPixels  = 32             // of a block of szip
)

// storable returns an error for a dataset that HDF5 cannot create.
func (w *walker) storable(o *Object) error {
	if o.Extent == nil { // a null dataspace
		return nil
	}
	dims, err := w.counts(*o.Extent, "the extent of a dataset")
	if err != nil {
		return err
	}
	most := make([]uint64, len(dims))
	for d, n := range dims {
		if most[d], err = w.mostOf(o, d, n); err != nil {
			return err
		}
		if most[d] < n {
			return o.MaxExtent[d].pos.Errorf("the largest extent is %d, less than the extent, %d: give at least as "+
				"much, or unlimited", most[d], n)
		}
	}
	bytes, err := w.size(o.Type)
	if err != nil {
		return err
	}
	if o.Compact {
		for _, n := range dims {
			if bytes = product(bytes, n); bytes > mostCompact {
				return o.pos.Errorf("the dataset is compact, but has more than %d bytes, the limit of HDF5 for "+
					"data in an object header: leave out compact", mostCompact)
			}
		}
	}
	if o.Chunk == nil {
		return nil
	}
	elements, err := w.chunk(o, dims, most, bytes)
	if err != nil {
		return err
	}
	return w.szip(o, elements)
}

// mostOf returns the largest extent of a dataset in a dimension, whose extent is n.
func (w *walker) mostOf(o *Object, d int, n uint64) (uint64, error) {
	switch {
	case o.MaxExtent == nil:
		return n, nil
	case o.MaxExtent[d].unlimited:
		return workload.Unlimited, nil
	}
	return w.count(&o.MaxExtent[d], "the largest extent", 0)
}

// chunk returns the number of elements of a chunk of a dataset, whose elements have so many bytes.
func (w *walker) chunk(o *Object, dims, most []uint64, bytes uint64) (uint64, error) {
	chunk, err := w.counts(o.Chunk, "the extent of a chunk")
	if err != nil {
		return 0, err
	}
	elements := uint64(1)
	for d, n := range chunk {
		elements = product(elements, n)
		switch p := o.Chunk[d].pos; {
		case n > mostChunk:
			return 0, p.Errorf("the extent of a chunk is %d, but HDF5 has chunks of less than 2^32 elements in a "+
				"dimension", n)
		case n > most[d] && dims[d] > 0:
			return 0, p.Errorf("the extent of a chunk is %d, more than that of the dataset can be, %d: give a smaller "+
				"chunk, such as min(%d, EXTENT), or a larger max-extent", n, most[d], n)
		case product(elements, bytes) > mostChunk:
			return 0, p.Errorf("a chunk has 4 GiB or more, but HDF5 has smaller chunks only: give a smaller extent")
		}
	}
	return elements, nil
}

// szip returns an error if a dataset has the filter szip, but its chunks of so many elements cannot.
func (w *walker) szip(o *Object, elements uint64) error {
	for i := range o.Filters {
		p := o.Filters[i].Szip
		if p == nil {
			continue
		}
		pixels, err := w.count(p, "the number of pixels per block of szip", 2)
		typ := o.Type
		for typ.Of != nil {
			typ = typ.Of
		}
		switch {
		case err != nil:
			return err
		case pixels%2 != 0 || pixels > mostPixels:
			return p.pos.Errorf("szip has blocks of %d pixels, but their number must be even, and at most %d", pixels,
				mostPixels)
		case pixels > elements:
			return p.pos.Errorf("szip has blocks of %d pixels, but a chunk has only %d: give at most as many", pixels,
				elements)
		case typ.Text != nil || typ.Compound != nil:
			return p.pos.Errorf("szip compresses numbers, but no texts and compounds: leave it out")
		}
	}
	return nil
}

// product returns a product, or the largest number if that is larger.
func product(a, b uint64) uint64 {
	over, low := bits.Mul64(a, b)
	if over != 0 {
		return math.MaxUint64
	}
	return low
}
