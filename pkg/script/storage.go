package script

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"h5perf/pkg/workload"
)

// Limits of HDF5, which both the library and the file format have.
const (
	maxFillBytes  = maxMessageBytes - 8 // bytes of a fill value: a message without its fields
	maxChunkBytes = math.MaxUint32      // bytes of a chunk; also elements in each of its dimensions
	maxPixels     = 32                  // pixels of a block of szip
)

// neverFilled is the word of fill_time for data that HDF5 does not fill.
const neverFilled = "never"

// checkStorable returns an error if HDF5 cannot create a dataset.
func checkStorable(o *workload.Object) error {
	most, size := o.MaxExtent, o.Type.FileBytes()
	if most == nil {
		most = o.Dims
	}
	bytes, all, elements := size, o.Type.StoredBytes(), uint64(1)
	for d, n := range o.Dims {
		bytes, all = saturatingProduct(bytes, n), saturatingProduct(all, n)
		if most[d] < n {
			return fmt.Errorf("maxshape is %d, less than shape, %d: give at least as much, or None", most[d], n)
		}
	}
	if all > math.MaxInt64 {
		return errors.New("the dataset has 2^63 bytes or more, and no file holds as much: give a smaller shape")
	}
	if o.Compact && bytes > workload.MaxCompactBytes {
		return fmt.Errorf("the dataset is compact, but has more than %d bytes, the limit of HDF5 for data in an "+
			"object header: leave out compact", workload.MaxCompactBytes)
	}
	for d, n := range o.Chunk {
		elements = saturatingProduct(elements, n)
		switch {
		case n == 0 || n > maxChunkBytes:
			return fmt.Errorf("a chunk of %d elements in a dimension: HDF5 has chunks from 1 to less than 2^32", n)
		case n > most[d] && o.Dims[d] > 0:
			return fmt.Errorf("a chunk of %d elements in a dimension where the dataset has at most %d: give a smaller "+
				"chunk, such as min(%d, shape), or a larger maxshape", n, most[d], n)
		case saturatingProduct(elements, size) > maxChunkBytes:
			return fmt.Errorf("a chunk has 4 GiB or more, but HDF5 has smaller chunks only: give smaller chunks")
		}
	}
	for i, f := range o.Filters {
		pixels := uint64(f.Level)
		switch {
		case f.IsSetUpOnce() && slices.ContainsFunc(o.Filters[:i], f.HasNameOf):
			return fmt.Errorf("the filter %s is there twice: HDF5 sets up only the first one, and skips the others: "+
				"give it once", f.Name)
		case f.Name == "deflate" && f.Level > 9:
			return fmt.Errorf("gzip has levels from 0 to 9, not %d", f.Level)
		case f.Name == "zstd" && (f.Level < 1 || f.Level > workload.MaxZstdLevel):
			return fmt.Errorf("zstd has levels from 1 to %d, not %d", workload.MaxZstdLevel, f.Level)
		case f.Name == "scaleoffset" && o.Type.Class != workload.Signed && o.Type.Class != workload.Unsigned:
			return errors.New("scaleoffset keeps integers as they are, but not other values: leave it out")
		case f.Name != "szip":
		case pixels%2 != 0 || pixels < 2 || pixels > maxPixels || pixels > elements:
			return fmt.Errorf("szip has blocks of %d pixels: their number is even, at most %d, and at most that of a "+
				"chunk, %d", pixels, maxPixels, elements)
		case slices.Contains([]workload.TypeClass{
			workload.Text, workload.Opaque, workload.Compound, workload.Sequence,
		}, o.Type.Class):
			return fmt.Errorf("szip compresses numbers, but no texts, sequences, opaque bytes and compounds: leave " +
				"it out")
		}
	}
	return nil
}

// checkVariable returns an error if a dataset has a variable length, and properties that HDF5 does not give such data:
// they are in a heap of the file, to which its elements refer.
func checkVariable(o *workload.Object) error {
	switch {
	case !o.Type.IsVariable():
	case o.Fill.Time == neverFilled:
		return errors.New("HDF5 always fills what has a variable length, with empty values: leave out fill_time")
	case o.CompressionRatio > 0:
		return errors.New("filters do not work on values of variable length, which are in a heap of the file, but on " +
			"references to them: leave out ratio")
	case o.Type.Class != workload.Compound && slices.ContainsFunc(o.Filters, func(f workload.Filter) bool {
		return f.Name == "fletcher32"
	}):
		return errors.New("HDF5 does not compute checksums of values of variable length: leave out fletcher32")
	}
	return nil
}

// checkExternal returns an error if the data of a dataset are in an external file, and it has properties that HDF5 does
// not give such data: HDF5 opens that file for each contiguous part, and does nothing else with it. The place of the
// data must be known, since HDF5 does not choose it.
func (h *objectHandle) checkExternal(o *workload.Object, class workload.StepClass) error {
	r := h.recorder
	switch fill := &o.Fill; {
	case !o.External:
	case class == workload.Create && (!r.createdFiles[h.file.name] || r.acting == inTurns):
		return errors.New("a rank knows the places of external data only in files that it creates by itself or with " +
			"all ranks: leave out external")
	case o.Bytes() == 0:
		return errors.New("a dataset without elements has nothing to store in an external file: leave out external")
	case o.Type.IsVariable():
		return errors.New("values of variable length are in a heap of the HDF5 file itself: leave out external")
	case fill.Time != "" && fill.Time != neverFilled, fill.Allocate != "", fill.Value != nil:
		return errors.New("HDF5 neither allocates nor fills external files: leave out external, or fill_time, " +
			"alloc_time and fillvalue")
	}
	return nil
}

// saturatingProduct returns a * b, or math.MaxUint64 if the product overflows.
func saturatingProduct(a, b uint64) uint64 {
	over, low := bits.Mul64(a, b)
	if over != 0 {
		return math.MaxUint64
	}
	return low
}
