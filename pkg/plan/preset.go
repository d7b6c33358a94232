package plan

import (
	"cmp"
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/usage"
)

// preset is a set of conditions and sizes. Empty fields do not change the options.
type preset struct {
	name         option.Preset
	iterations   int               // 0: as many as the conditions need
	conditions   option.Conditions // Shift is a placeholder: presetShift finds the one for a job
	sizes1D      sweepSizes        // for the parallel tool in 1D
	sizes2D      sweepSizes        // for the parallel tool in 2D
	datasetBytes uint64            // in bytes, for the serial tool with one dimension
	bufferBytes  uint64            // in bytes, for the serial tool: the transfer buffer
}

// sizesFor returns the sizes of the parallel tool in 1D or 2D.
func (pr preset) sizesFor(twoD bool) sweepSizes { return conditional(twoD, pr.sizes2D, pr.sizes1D) }

// presets lists the presets. Each measures with all processes only, unless -p is given.
//
//   - quick takes seconds and shows that everything works: a few MiB of data per process, synced to the storage.
//   - standard gives results to publish about a file system in use: reads do not come from the page cache of this
//     client, the first iteration does not count, every case is measured for at least a second and often enough for
//     confidence intervals, and cases run in random order.
//   - strict gives results for the acceptance of a system. In addition to standard, files are larger than memory, or
//     the run is refused; every rank reads data that another node wrote; every case is measured for ten seconds; and
//     results from memory are failures.
var presets = []preset{
	{
		name: option.PresetQuick, iterations: 3, conditions: option.Conditions{Sync: option.SyncClose},
		sizes1D:      sweepSizes{4 << 20, 1 << 20, 1 << 20, 4 << 20},
		sizes2D:      sweepSizes{512, 256, 512, 512},
		datasetBytes: 16 << 20, bufferBytes: 1 << 20,
	},
	{
		name: option.PresetStandard,
		conditions: option.Conditions{
			Sync: option.SyncClose, Cold: true, Warmup: new(1), MinSeconds: new(1.0), Order: option.OrderRandom,
		},
		sizes1D:      sweepSizes{64 << 20, 1 << 20, 1 << 20, 16 << 20},
		sizes2D:      sweepSizes{2 << 10, 1 << 10, 1 << 10, 2 << 10},
		datasetBytes: 1 << 30, bufferBytes: 4 << 20,
	},
	{
		name: option.PresetStrict,
		conditions: option.Conditions{
			Sync: option.SyncClose, Cold: true, Shift: new(1), Warmup: new(1), MinSeconds: new(10.0),
			Order: option.OrderRandom, MemoryFactor: new(2.0),
		},
		sizes1D: largeSizes.sizes1D, sizes2D: largeSizes.sizes2D, bufferBytes: largeSizes.bufferBytes,
	},
}

// largeSizes holds the transfer sizes for files as large as memory. Transfer sizes in proportion to such files would
// not fit in memory.
var largeSizes = preset{
	sizes1D:     sweepSizes{blockSize: 1 << 20, minTransferSize: 4 << 20, maxTransferSize: 4 << 20},
	sizes2D:     sweepSizes{blockSize: 1 << 10, minTransferSize: 4 << 10, maxTransferSize: 4 << 10},
	bufferBytes: 4 << 20,
}

// findPreset returns the preset with the given name. For "" it returns an empty preset.
func findPreset(name option.Preset) (preset, error) {
	for _, pr := range presets {
		if pr.name == name {
			return pr, nil
		}
	}
	if name == "" {
		return preset{}, nil
	}
	return preset{}, usage.InvalidWordError("--preset", string(name), name.Values())
}

// addConditions returns the conditions c of the user. For a condition that the user did not give, it takes the value of
// the preset. It leaves out conditions of writes or reads if the run has no writes or reads.
func (pr preset) addConditions(c option.Conditions, writes, reads bool) option.Conditions {
	if writes {
		c.Sync = cmp.Or(c.Sync, pr.conditions.Sync)
	}
	c.Cold = c.Cold || pr.conditions.Cold && reads
	c.Warmup = cmp.Or(c.Warmup, pr.conditions.Warmup)
	c.MinSeconds = cmp.Or(c.MinSeconds, pr.conditions.MinSeconds)
	c.Order = cmp.Or(c.Order, pr.conditions.Order)
	c.MemoryFactor = cmp.Or(c.MemoryFactor, pr.conditions.MemoryFactor)
	return c
}

// addShift returns the options with the shift of the preset, in a sweep with these numbers of processes, unless it is
// given or nothing is read.
func (pr preset) addShift(o Options, processes []int, job JobFacts) Options {
	if pr.conditions.Shift != nil && o.Shift == nil && !o.WriteOnly {
		o.Shift = presetShift(processes, job)
	}
	return o
}

// withSizes returns the options with the sizes that are not given, lowered to fit the given sizes. It ignores sizes of
// 0.
func withSizes(o Options, s sweepSizes) Options {
	o.BytesPerProcess = givenOrDefault(o.BytesPerProcess, s.bytesPerProcess)
	if s.maxTransferSize == 0 {
		return o
	}
	if o.MinTransferSize != nil {
		s.maxTransferSize = max(s.maxTransferSize, *o.MinTransferSize)
	}
	if e := option.ValueOrZero(o.BytesPerProcess); !o.TwoD && e > 0 {
		s.maxTransferSize = min(s.maxTransferSize, e)
	}
	o.MaxTransferSize = givenOrDefault(o.MaxTransferSize, s.maxTransferSize)
	if highest := *o.MaxTransferSize; highest > 0 { // 0 means the default, which is no limit
		s.minTransferSize = min(s.minTransferSize, highest)
	}
	o.MinTransferSize = givenOrDefault(o.MinTransferSize, s.minTransferSize)
	o.BlockSize = givenOrDefault(o.BlockSize, min(s.blockSize, *o.MinTransferSize))
	return o
}

// presetShift returns the shift for the strict preset, in a sweep with these numbers of processes: rank r reads the
// data of rank r + shift. The shift is the number of processes per node, so that another node wrote the data. It is 1
// if a rank would read its own data with that shift, and nil if a step has only one rank.
func presetShift(processes []int, job JobFacts) *int {
	nodes := max(1, job.Nodes)
	for _, shift := range []int{(job.Processes + nodes - 1) / nodes, 1} {
		if !slices.ContainsFunc(processes, func(n int) bool { return shift%n == 0 }) {
			return &shift
		}
	}
	return nil
}

// processCountsInJob returns the numbers of processes of the sweep that fit in the job, in descending order. The
// options may be invalid.
func processCountsInJob(o Options, job JobFacts) []int {
	least, most := 1, job.Processes
	if o.MaxProcesses != nil {
		most = *o.MaxProcesses
	}
	if o.MinProcesses != nil {
		least = max(1, min(*o.MinProcesses, most))
	}
	return slices.DeleteFunc(halvedCounts(most, least), func(n int) bool { return n > job.Processes })
}
