package plan

import (
	"math"
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/usage"
)

// sizedByMemory returns the options with bytes per process, or an extent of the serial dataset, such that every file is
// at least as large as the memory factor asks for, also in the step of fewest processes. Where sizes are given, or no
// factor is, it returns the options as they are.
func sizedByMemory(o Options, job Job) (Options, error) {
	given := o.BytesPerProcess != nil
	if o.Serial != nil {
		given = o.Serial.DatasetExtent != nil || len(o.Serial.BufferExtent) > 1
	}
	if o.MemoryFactor == nil || given {
		return o, nil
	}
	want, err := leastFileBytes(*o.MemoryFactor, job)
	if err != nil {
		return o, err
	}
	if o.Serial != nil {
		o.Serial, err = extentByMemory(*o.Serial, want)
		return o, err
	}
	o = withSizes(o, large.sizes(o.TwoD))
	fewest := 1.0
	if steps := processesWithin(o, job); len(steps) > 0 {
		fewest = float64(slices.Min(steps))
	}
	perDataset := want / max(1, float64(option.Value(o.Datasets)))
	e := perDataset / fewest
	if o.TwoD {
		e = math.Sqrt(perDataset) / fewest
	}
	o.BytesPerProcess, err = roundUp(e, largest(*o.MinTransferSize, *o.MaxTransferSize))
	return o, err
}

// extentByMemory returns the sizes of a serial run with the extent of a dataset of one dimension that a file of so many
// bytes has.
func extentByMemory(o option.SerialSizes, want float64) (*option.SerialSizes, error) {
	if o.BufferExtent == nil {
		o.BufferExtent = []uint64{large.buffer}
	}
	e, err := roundUp(want, o.BufferExtent[0])
	if err == nil {
		o.DatasetExtent = []uint64{*e}
	}
	return &o, err
}

// leastFileBytes returns how large a file must be.
func leastFileBytes(factor float64, job Job) (float64, error) {
	if job.MemoryBytes == 0 {
		return 0, usage.Errorf(
			"--memory-factor %g: the memory of the nodes is unknown here; give -e", factor)
	}
	return math.Ceil(factor * float64(job.MemoryBytes)), nil
}

// largest returns the largest of the transfer sizes from low, doubled up to high, or 1.
func largest(low, high uint64) uint64 {
	low = min(low, high)
	return max(1, slices.Max(doubling(low, high)))
}

// roundUp returns the smallest multiple of unit that is at least size.
func roundUp(size float64, unit uint64) (*uint64, error) {
	multiple := math.Ceil(size / float64(unit))
	if multiple*float64(unit) >= maxBytes {
		return nil, usage.Errorf(
			"--memory-factor: a file cannot have %.0f bytes; give a smaller factor", size)
	}
	return new(uint64(multiple) * unit), nil
}
