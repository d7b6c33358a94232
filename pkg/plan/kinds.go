package plan

import (
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

// kindStages holds the stages of New that differ between kinds of runs.
type kindStages struct {
	// apis returns the APIs that the user gave, and all APIs of the tool.
	apis func(Options) (given, all []string)
	// preset adds the sizes of a preset to the options, if no sizes are given. nil: there are no presets.
	preset func(Options, preset, JobFacts) Options
	// sized reports whether sizes are given: then --memory-factor does not change them. grown returns the options with
	// sizes that make every file at least that many bytes, also in the step with the fewest processes.
	sized func(Options) bool
	grown func(o Options, bytes float64, job JobFacts) (Options, error)
	mpiio bool // the run may have settings of MPI-IO
	// workload returns the workload, adapted to the HDF5 library in use. nil: the run has none.
	workload func(o Options, measured bool, job JobFacts) (*workloadFit, error)
	// hdf5 sets how the run uses HDF5.
	hdf5 func(Options, *option.HDF5Run)
	// measured adds the cases to the plan. given holds the options as the user gave them, before all stages.
	measured func(p Plan, o, given Options, w *workloadFit, job JobFacts) (Plan, error)
}

var stagesByKind = map[result.Kind]kindStages{
	result.KindParallel: {
		apis:   func(o Options) (given, all []string) { return o.APIs, APIs() },
		preset: applySweepPreset,
		sized:  func(o Options) bool { return o.BytesPerProcess != nil },
		grown:  growSweepSizes,
		mpiio:  true,
		hdf5:   func(o Options, r *option.HDF5Run) { r.Collective, r.Chunked = o.Collective, o.Chunked },
		measured: func(p Plan, o, given Options, _ *workloadFit, job JobFacts) (Plan, error) {
			return withSweep(p, o, given, job)
		},
	},
	result.KindSerial: {
		apis:   func(o Options) (given, all []string) { return o.Serial.APIs, SerialAPIs() },
		preset: applyWalkPreset,
		sized:  func(o Options) bool { return o.Serial.DatasetExtent != nil || len(o.Serial.BufferExtent) > 1 },
		grown:  growWalkSizes,
		hdf5:   func(o Options, r *option.HDF5Run) { r.Serial, r.Chunked = true, o.Serial.ChunkSize != nil },
		measured: func(p Plan, o, _ Options, _ *workloadFit, _ JobFacts) (Plan, error) {
			return withWalk(p, o)
		},
	},
	result.KindWorkload: {
		apis:     func(o Options) (given, all []string) { return o.Workload.APIs, APIs() },
		mpiio:    true,
		workload: fitWorkload,
		hdf5:     func(_ Options, r *option.HDF5Run) { r.Collective, r.Chunked = true, true }, // datasets of any kind
		measured: func(p Plan, _, _ Options, w *workloadFit, job JobFacts) (Plan, error) {
			return withWorkload(p, w, job)
		},
	},
}

// completeSizes returns the options with the sizes and conditions that follow from their preset and memory factor.
func completeSizes(o Options, job JobFacts) (Options, error) {
	k := stagesByKind[o.Kind()]
	if k.preset == nil {
		return o, checkUnsupported(o.Conditions)
	}
	pr, err := findPreset(o.Preset)
	if err != nil {
		return o, err
	}
	o.Conditions = pr.addConditions(o.Conditions, o.ReadOnly == "", !o.WriteOnly)
	o.Iterations = givenOrDefault(o.Iterations, pr.iterations)
	o = k.preset(o, pr, job)
	if o.MemoryFactor == nil || k.sized(o) {
		return o, nil
	}
	want, err := minFileBytes(*o.MemoryFactor, job)
	if err != nil {
		return o, err
	}
	return k.grown(o, want, job)
}

// applySweepPreset returns the options of a sweep with the sizes and numbers of processes of a preset.
func applySweepPreset(o Options, pr preset, job JobFacts) Options {
	if pr.name != "" && o.MinProcesses == nil {
		o.MinProcesses = new(job.Processes)
		if o.MaxProcesses != nil {
			*o.MinProcesses = min(*o.MaxProcesses, job.Processes)
		}
	}
	if pr.conditions.Shift != nil && o.Shift == nil && !o.WriteOnly {
		o.Shift = presetShift(processesWithin(o, job), job)
	}
	return withSizes(o, pr.sizesFor(o.TwoD))
}

// applyWalkPreset returns the options of a serial run with the one-dimensional extents of a preset, if none are given.
// It ignores extents of 0.
func applyWalkPreset(o Options, pr preset, _ JobFacts) Options {
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

// growSweepSizes returns the options of a sweep with the bytes per process that make files of at least that many bytes.
func growSweepSizes(o Options, bytes float64, job JobFacts) (_ Options, err error) {
	o = withSizes(o, largeSizes.sizesFor(o.TwoD))
	fewest := 1.0
	if steps := processesWithin(o, job); len(steps) > 0 {
		fewest = float64(slices.Min(steps))
	}
	each := bytes / max(1, float64(option.ValueOrZero(o.Datasets)))
	o.BytesPerProcess,
		err = roundUp(perProcessBytes(each, fewest, o.TwoD), largestTransfer(*o.MinTransferSize, *o.MaxTransferSize))
	return o, err
}

// growWalkSizes returns the options of a serial run with the one-dimensional dataset extent that makes files of at
// least that many bytes.
func growWalkSizes(o Options, bytes float64, _ JobFacts) (Options, error) {
	sizes := *o.Serial
	if sizes.BufferExtent == nil {
		sizes.BufferExtent = []uint64{largeSizes.buffer}
	}
	e, err := roundUp(bytes, sizes.BufferExtent[0])
	if err == nil {
		sizes.DatasetExtent = []uint64{*e}
	}
	o.Serial = &sizes
	return o, err
}
