package plan

import (
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

// kind holds the stages of New that are not the same for runs of all kinds.
type kind struct {
	// apis returns the APIs that are given, and all that the tool measures.
	apis func(Options) (given, all []string)
	// preset returns the options with the sizes of a preset where none are given. nil: there are no presets.
	preset func(Options, preset, Job) Options
	// sized reports whether sizes are given, which --memory-factor then leaves as they are. grown returns the options
	// with sizes such that every file has at least so many bytes, also in the step of fewest processes.
	sized func(Options) bool
	grown func(o Options, bytes float64, job Job) (Options, error)
	mpiio bool // it may have settings of MPI-IO
	// workload returns the workload for the HDF5 library in use. nil: there is none.
	workload func(o Options, measured bool, job Job) (*fit, error)
	// hdf5 says what HDF5 is used for.
	hdf5 func(Options, *option.HDF5Run)
	// measured returns a plan with what is measured. given are the options as they were given, before all stages.
	measured func(p Plan, o, given Options, w *fit, job Job) (Plan, error)
}

var kinds = map[result.Kind]kind{
	result.KindParallel: {
		apis:   func(o Options) (given, all []string) { return o.APIs, APIs() },
		preset: sweepPreset,
		sized:  func(o Options) bool { return o.BytesPerProcess != nil },
		grown:  grownSweep,
		mpiio:  true,
		hdf5:   func(o Options, r *option.HDF5Run) { r.Collective, r.Chunked = o.Collective, o.Chunked },
		measured: func(p Plan, o, given Options, _ *fit, job Job) (Plan, error) {
			return withSweep(p, o, given, job)
		},
	},
	result.KindSerial: {
		apis:   func(o Options) (given, all []string) { return o.Serial.APIs, SerialAPIs() },
		preset: walkPreset,
		sized:  func(o Options) bool { return o.Serial.DatasetExtent != nil || len(o.Serial.BufferExtent) > 1 },
		grown:  grownWalk,
		hdf5:   func(o Options, r *option.HDF5Run) { r.Serial, r.Chunked = true, o.Serial.ChunkSize != nil },
		measured: func(p Plan, o, _ Options, _ *fit, _ Job) (Plan, error) {
			return withWalk(p, o)
		},
	},
	result.KindWorkload: {
		apis:     func(o Options) (given, all []string) { return o.Workload.APIs, APIs() },
		mpiio:    true,
		workload: fittedWorkload,
		hdf5:     func(_ Options, r *option.HDF5Run) { r.Collective, r.Chunked = true, true }, // datasets of any kind
		measured: func(p Plan, _, _ Options, w *fit, job Job) (Plan, error) {
			return withWorkload(p, w, job)
		},
	},
}

// completedSizes returns the options with the sizes and conditions that their preset and their memory factor ask for.
func completedSizes(o Options, job Job) (Options, error) {
	k := kinds[o.Kind()]
	if k.preset == nil {
		return o, checkNotOfWorkloads(o.Conditions)
	}
	pr, err := presetOf(o.Preset)
	if err != nil {
		return o, err
	}
	o.Conditions = pr.complete(o.Conditions, o.ReadOnly == "", !o.WriteOnly)
	o.Iterations = or(o.Iterations, pr.iterations)
	o = k.preset(o, pr, job)
	if o.MemoryFactor == nil || k.sized(o) {
		return o, nil
	}
	want, err := leastFileBytes(*o.MemoryFactor, job)
	if err != nil {
		return o, err
	}
	return k.grown(o, want, job)
}

// sweepPreset returns the options of a sweep with the sizes of a preset, and the numbers of processes that it asks for.
func sweepPreset(o Options, pr preset, job Job) Options {
	if pr.name != "" && o.MinProcesses == nil {
		o.MinProcesses = new(job.Processes)
		if o.MaxProcesses != nil {
			*o.MinProcesses = min(*o.MaxProcesses, job.Processes)
		}
	}
	if pr.conditions.Shift != nil && o.Shift == nil && !o.WriteOnly {
		o.Shift = shiftFor(processesWithin(o, job), job)
	}
	return withSizes(o, pr.sizes(o.TwoD))
}

// walkPreset returns the options of a serial run with extents of one dimension, those of a preset, where none are
// given. Extents of 0 are left out.
func walkPreset(o Options, pr preset, _ Job) Options {
	sizes := *o.Serial
	if sizes.DatasetExtent == nil && sizes.BufferExtent == nil && pr.buffer > 0 {
		sizes.BufferExtent = []uint64{pr.buffer}
	}
	if sizes.DatasetExtent == nil && pr.dataset > 0 {
		sizes.DatasetExtent = []uint64{pr.dataset}
	}
	o.Serial = &sizes
	return o
}

// grownSweep returns the options of a sweep with bytes per process for files of so many bytes.
func grownSweep(o Options, bytes float64, job Job) (_ Options, err error) {
	o = withSizes(o, large.sizes(o.TwoD))
	fewest := 1.0
	if steps := processesWithin(o, job); len(steps) > 0 {
		fewest = float64(slices.Min(steps))
	}
	each := bytes / max(1, float64(option.Value(o.Datasets)))
	o.BytesPerProcess, err = roundUp(perProcess(each, fewest, o.TwoD), largest(*o.MinTransferSize, *o.MaxTransferSize))
	return o, err
}

// grownWalk returns the options of a serial run with the extent of a dataset of one dimension, for files of so many
// bytes.
func grownWalk(o Options, bytes float64, _ Job) (Options, error) {
	sizes := *o.Serial
	if sizes.BufferExtent == nil {
		sizes.BufferExtent = []uint64{large.buffer}
	}
	e, err := roundUp(bytes, sizes.BufferExtent[0])
	if err == nil {
		sizes.DatasetExtent = []uint64{*e}
	}
	o.Serial = &sizes
	return o, err
}
