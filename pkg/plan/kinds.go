package plan

import (
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

// kindStages holds the functions for those steps of New that differ between kinds of runs.
type kindStages struct {
	// apis returns the APIs that the user gave, and all APIs of the tool.
	apis func(Options) (given, all []string)
	// applyPreset adds what a preset sets for this kind of run alone, such as sizes, unless it is given.
	applyPreset func(Options, preset, JobFacts) Options
	// hasGivenSizes reports whether sizes are given: then --memory-factor does not change them. growSizes returns the
	// options with sizes that make every file at least that many bytes, also in the step with the fewest processes.
	// Both are nil if the run has no memory factor.
	hasGivenSizes func(Options) bool
	growSizes     func(o Options, bytes float64, job JobFacts) (Options, error)
	mpiio         bool // the run may have settings of MPI-IO
	// adaptWorkload returns the workload, adapted to the HDF5 library in use. nil: the run has none.
	adaptWorkload func(o Options, measured bool, job JobFacts) (*workloadFit, error)
	// setHDF5Facts sets how the run uses HDF5.
	setHDF5Facts func(Options, *workloadFit, *option.HDF5RunFacts)
	// addCases adds the cases to the plan. given holds the options as the user gave them, before all stages.
	addCases func(p Plan, o, given Options, w *workloadFit, job JobFacts) (Plan, error)
}

var stagesByKind = map[result.Kind]kindStages{
	result.KindParallel: {
		apis:          func(o Options) (given, all []string) { return o.APIs, APIs() },
		applyPreset:   applySweepPreset,
		hasGivenSizes: func(o Options) bool { return o.BytesPerProcess != nil },
		growSizes:     growSweepSizes,
		mpiio:         true,
		setHDF5Facts: func(o Options, _ *workloadFit, r *option.HDF5RunFacts) {
			r.Collective = o.Collective
			r.Transfers = option.TransferFacts{
				Collective: o.Collective, Chunked: o.Chunked, OwnFiles: o.FilesPerProcess,
			}
		},
		addCases: func(p Plan, o, given Options, _ *workloadFit, job JobFacts) (Plan, error) {
			return withSweep(p, o, given, job)
		},
	},
	result.KindSerial: {
		apis:          func(o Options) (given, all []string) { return o.Serial.APIs, SerialAPIs() },
		applyPreset:   applySerialPreset,
		hasGivenSizes: func(o Options) bool { return o.Serial.DatasetExtent != nil || len(o.Serial.BufferExtent) > 1 },
		growSizes:     growSerialSizes,
		setHDF5Facts: func(o Options, _ *workloadFit, r *option.HDF5RunFacts) {
			r.Serial = true
			r.Transfers = option.TransferFacts{Chunked: o.Serial.ChunkSize != nil, OwnFiles: true}
		},
		addCases: func(p Plan, o, _ Options, _ *workloadFit, _ JobFacts) (Plan, error) {
			return withSerialCase(p, o)
		},
	},
	result.KindWorkload: {
		apis: func(o Options) (given, all []string) {
			if given = o.Workload.APIs; o.Workload.Layout != "" && given == nil {
				given = []string{result.PHDF5}
			}
			return given, APIs()
		},
		applyPreset:   applyWorkloadPreset,
		mpiio:         true,
		adaptWorkload: fitWorkload,
		setHDF5Facts: func(_ Options, w *workloadFit, r *option.HDF5RunFacts) {
			r.Collective, r.Workload, r.Transfers = true, true, w.transfers
		},
		addCases: func(p Plan, _, _ Options, w *workloadFit, job JobFacts) (Plan, error) {
			return withWorkload(p, w, job)
		},
	},
}

// completeSizes returns the options with the sizes and conditions that follow from their preset and memory factor.
func completeSizes(o Options, job JobFacts) (Options, error) {
	k := stagesByKind[o.Kind()]
	if k.adaptWorkload != nil {
		if err := checkUnsupported(o.Conditions); err != nil {
			return o, err
		}
	}
	pr, err := findPreset(o.Preset)
	if err != nil {
		return o, err
	}
	o.Conditions = pr.addConditions(o.Conditions, o.ReadOnly == "", !o.WriteOnly)
	o.Iterations = givenOrDefault(o.Iterations, pr.iterations)
	o = k.applyPreset(o, pr, job)
	if o.MemoryFactor == nil || k.hasGivenSizes(o) {
		return o, nil
	}
	want, err := minFileBytes(*o.MemoryFactor, job)
	if err != nil {
		return o, err
	}
	return k.growSizes(o, want, job)
}

// applySweepPreset returns the options of a sweep with the sizes and numbers of processes of a preset.
func applySweepPreset(o Options, pr preset, job JobFacts) Options {
	if pr.name != "" && o.MinProcesses == nil {
		o.MinProcesses = new(job.Processes)
		if o.MaxProcesses != nil {
			*o.MinProcesses = min(*o.MaxProcesses, job.Processes)
		}
	}
	return withSizes(pr.addShift(o, processCountsInJob(o, job), job), pr.sizesFor(o.TwoD))
}

// applyWorkloadPreset returns the options of a workload with the shift of a preset. The sizes of a workload are its
// own, so it has no memory factor.
func applyWorkloadPreset(o Options, pr preset, job JobFacts) Options {
	o.MemoryFactor = nil
	return pr.addShift(o, []int{job.Processes}, job)
}

// applySerialPreset returns the options of a serial run with the one-dimensional extents of a preset, if none are
// given. It ignores extents of 0.
func applySerialPreset(o Options, pr preset, _ JobFacts) Options {
	sizes := *o.Serial
	if sizes.DatasetExtent == nil && sizes.BufferExtent == nil && pr.bufferBytes > 0 {
		sizes.BufferExtent = []uint64{pr.bufferBytes}
	}
	if sizes.DatasetExtent == nil && pr.datasetBytes > 0 {
		sizes.DatasetExtent = []uint64{pr.datasetBytes}
	}
	o.Serial = &sizes
	return o
}

// growSweepSizes returns the options of a sweep with so many bytes per process that each file has at least the size
// bytes.
func growSweepSizes(o Options, bytes float64, job JobFacts) (_ Options, err error) {
	o = withSizes(o, largeSizes.sizesFor(o.TwoD))
	fewest := 1.0
	if steps := processCountsInJob(o, job); len(steps) > 0 {
		fewest = float64(slices.Min(steps))
	}
	each := bytes / max(1, float64(option.ValueOrZero(o.Datasets)))
	o.BytesPerProcess,
		err = roundUp(bytesPerProcessFor(each, fewest, o.TwoD), largestTransfer(*o.MinTransferSize, *o.MaxTransferSize))
	return o, err
}

// growSerialSizes returns the options of a serial run with a one-dimensional dataset that is so large that each file
// has at least the size bytes.
func growSerialSizes(o Options, bytes float64, _ JobFacts) (Options, error) {
	sizes := *o.Serial
	if sizes.BufferExtent == nil {
		sizes.BufferExtent = []uint64{largeSizes.bufferBytes}
	}
	e, err := roundUp(bytes, sizes.BufferExtent[0])
	if err == nil {
		sizes.DatasetExtent = []uint64{*e}
	}
	o.Serial = &sizes
	return o, err
}
