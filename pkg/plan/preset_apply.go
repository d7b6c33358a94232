package plan

import (
	"slices"

	"h5perf/pkg/option"
)

// withPreset returns the options with what their preset asks for, where it is not given.
func withPreset(o Options, job Job) (Options, error) {
	pr, err := presetOf(o.Preset)
	if err != nil {
		return o, err
	}
	o.Conditions = pr.complete(o.Conditions, o.ReadOnly == "", !o.WriteOnly)
	o.Iterations = or(o.Iterations, pr.iterations)
	if o.Serial != nil {
		return withExtents(o, pr.dataset, pr.buffer), nil
	}
	if pr.name != "" && o.MinProcesses == nil {
		o.MinProcesses = new(job.Processes)
		if o.MaxProcesses != nil {
			*o.MinProcesses = min(*o.MaxProcesses, job.Processes)
		}
	}
	if pr.conditions.Shift != nil && o.Shift == nil && !o.WriteOnly {
		o.Shift = shiftFor(processesWithin(o, job), job)
	}
	return withSizes(o, pr.sizes(o.TwoD)), nil
}

// withExtents returns the options of a serial run with extents of one dimension where none are given; those of 0 are
// left out.
func withExtents(o Options, dataset, buffer uint64) Options {
	sizes := *o.Serial
	if sizes.DatasetExtent == nil && sizes.BufferExtent == nil && buffer > 0 {
		sizes.BufferExtent = []uint64{buffer}
	}
	if sizes.DatasetExtent == nil && dataset > 0 {
		sizes.DatasetExtent = []uint64{dataset}
	}
	o.Serial = &sizes
	return o
}

// withSizes returns the options with sizes where none are given, lowered to fit those that are. Sizes of 0 are left
// out.
func withSizes(o Options, s sizes) Options {
	o.BytesPerProcess = or(o.BytesPerProcess, s.bytesPerProcess)
	if s.maxTransferSize == 0 {
		return o
	}
	if o.MinTransferSize != nil {
		s.maxTransferSize = max(s.maxTransferSize, *o.MinTransferSize)
	}
	if e := option.Value(o.BytesPerProcess); !o.TwoD && e > 0 {
		s.maxTransferSize = min(s.maxTransferSize, e)
	}
	o.MaxTransferSize = or(o.MaxTransferSize, s.maxTransferSize)
	if highest := *o.MaxTransferSize; highest > 0 { // 0 means the default, which is no limit
		s.minTransferSize = min(s.minTransferSize, highest)
	}
	o.MinTransferSize = or(o.MinTransferSize, s.minTransferSize)
	o.BlockSize = or(o.BlockSize, min(s.blockSize, *o.MinTransferSize))
	return o
}

// shiftFor returns how many ranks further on a rank of the strict preset reads, in a sweep of these numbers of
// processes: as many as a node has, so that another node wrote what it reads; 1 where a rank would then read what it
// wrote itself; nil where there is no other rank.
func shiftFor(processes []int, job Job) *int {
	nodes := max(1, job.Nodes)
	for _, shift := range []int{(job.Processes + nodes - 1) / nodes, 1} {
		if !slices.ContainsFunc(processes, func(n int) bool { return shift%n == 0 }) {
			return &shift
		}
	}
	return nil
}

// processesWithin returns the numbers of processes of the sweep that fit in the job, largest first. The options need
// not be valid.
func processesWithin(o Options, job Job) []int {
	least, most := 1, job.Processes
	if o.MaxProcesses != nil {
		most = *o.MaxProcesses
	}
	if o.MinProcesses != nil {
		least = max(1, min(*o.MinProcesses, most))
	}
	return slices.DeleteFunc(halving(most, least), func(n int) bool { return n > job.Processes })
}
