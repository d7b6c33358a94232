package plan

import (
	"fmt"
	"math"
	"slices"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// byMemory chooses the bytes per process such that every file is at least as large as the memory factor wants, also in the
// step of fewest processes, where none are given.
func (o Options) byMemory(job Job) (Options, error) {
	if o.Conditions.MemoryFactor == nil || o.BytesPerProcess != nil {
		return o, nil
	}
	want, err := fileBytes(*o.Conditions.MemoryFactor, job)
	if err != nil {
		return o, err
	}
	o.sizesUnder(large)
	perFile := 1.0
	if steps := o.processes(job); len(steps) > 0 {
		perFile = float64(slices.Min(steps))
	}
	datasets := 1.0
	if o.Datasets != nil {
		datasets = math.Max(1, float64(*o.Datasets))
	}
	e := want / datasets / perFile
	if o.TwoD {
		e = math.Sqrt(want/datasets) / perFile
	}
	o.BytesPerProcess, err = roundUp(e, largest(*o.MinTransfer, *o.MaxTransfer))
	return o, err
}

// byMemory chooses the extent of a dataset of one dimension, where none is given.
func (o SerialOptions) byMemory(job Job) (SerialOptions, error) {
	if o.Conditions.MemoryFactor == nil || o.Dataset != nil || len(o.Buffer) > 1 {
		return o, nil
	}
	want, err := fileBytes(*o.Conditions.MemoryFactor, job)
	if err != nil {
		return o, err
	}
	if o.Buffer == nil {
		o.Buffer = []uint64{large.buffer}
	}
	e, err := roundUp(want, o.Buffer[0])
	if err == nil {
		o.Dataset = []uint64{*e}
	}
	return o, err
}

// fileBytes is how large a file must be.
func fileBytes(factor float64, job Job) (float64, error) {
	if job.MemoryBytes == 0 {
		return 0, usage.Errorf("--memory-factor %g: how much memory the nodes have cannot be told here; give -e", factor)
	}
	return math.Ceil(factor * float64(job.MemoryBytes)), nil
}

// largest is the largest of the transfer sizes from low, doubled up to high, or 1.
func largest(low, high uint64) uint64 {
	low = min(low, high)
	return max(1, slices.Max(doubling(low, high)))
}

// roundUp is the next multiple of unit.
func roundUp(size float64, unit uint64) (*uint64, error) {
	units := math.Ceil(size / float64(unit))
	if units*float64(unit) >= maxBytes {
		return nil, usage.Errorf("--memory-factor: a size of %.0f bytes is more than a file holds; give a smaller factor", size)
	}
	return new(uint64(units) * unit), nil
}

// checkMemory notes files that are smaller than the memory factor wants, because sizes are given. The strict profile refuses
// them.
func (p *Plan) checkMemory(job Job) error {
	conditions := p.Parameters.Conditions
	factor := conditions.MemoryFactor
	if factor == 0 {
		return nil
	}
	if job.MemoryBytes == 0 {
		p.note("--memory-factor %g: how much memory the nodes have cannot be told here, nor whether the files are large enough", factor)
		return nil
	}
	least := uint64(math.MaxUint64)
	for c := range p.Cases() {
		least = min(least, c.FileDataBytes())
	}
	if float64(least) >= factor*float64(job.MemoryBytes) {
		return nil
	}
	small := fmt.Sprintf("the smallest file has %s bytes, less than %g times the memory of the nodes, %s",
		units.FormatSize(least), factor, units.FormatSize(job.MemoryBytes))
	if conditions.Profile == result.ProfileStrict {
		return usage.Errorf("--profile %s: %s: it may never leave memory; give a larger -e, leave it out, or name another profile or a smaller --memory-factor",
			conditions.Profile, small)
	}
	p.note("--memory-factor %g: %s; leave -e out, or give more", factor, small)
	return nil
}
