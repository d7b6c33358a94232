package plan

import (
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

// New returns the plan of a run of the parallel tool in a job. It fills in defaults and lowers sizes as the C tool
// does. A block that is not given is another one where the C tool's default does not fit. New refuses, with a
// *usage.Error, what the C tool accepts but cannot measure, and names the nearest sizes that fit.
func New(o Options, job Job) (Plan, error) {
	given := o
	o, err := profiled(o, job)
	if err != nil {
		return Plan{}, err
	}
	o, err = sizedByMemory(o, job)
	if err != nil {
		return Plan{}, err
	}
	apis, err := chosenAPIs(o.APIs, APIs())
	if err != nil {
		return Plan{}, err
	}
	mpiio, mpiioNotes, err := o.MPIIO.Complete(o.MPIInfo)
	if err != nil {
		return Plan{}, err
	}
	hdf5, hdf5Notes, err := o.HDF5.Complete(option.HDF5Run{
		MPIPosix: o.MPIPosix, Measured: usesHDF5(apis), Hints: mpiio.HintsSet,
		Collective: o.Collective, Chunked: o.Chunked, WriteOnly: o.WriteOnly, Library: job.HDF5,
	})
	if err != nil {
		return Plan{}, err
	}
	counts, err := countsOf(o)
	if err != nil {
		return Plan{}, err
	}
	conditions, err := completed(o.Conditions, counts.iterations, job)
	if err != nil {
		return Plan{}, err
	}
	sizes, sizeNotes := sizesOf(o)
	chunk, err := chunkOf(o, sizes.block)
	if err != nil {
		return Plan{}, err
	}
	sweep, sweepNotes, err := sweepOf(o, doubling(sizes.minTransfer, sizes.maxTransfer), job)
	if err != nil {
		return Plan{}, err
	}
	create, err := createOf(o)
	if err != nil {
		return Plan{}, err
	}
	hints := judgedHints(mpiio, apis, job)
	p := Plan{
		Parameters: result.Parameters{
			APIs:         apis,
			MinProcesses: sweep.minProcesses, MaxProcesses: sweep.maxProcesses,
			BytesPerProcess: sizes.bytesPerProcess, BlockBytes: sizes.block,
			MinTransferBytes: sizes.minTransfer, MaxTransferBytes: sizes.maxTransfer,
			Iterations: counts.iterations, Files: counts.files, FilesPerProcess: o.FilesPerProcess,
			Create: create, Datasets: counts.datasets,
			Geometry:   either(o.TwoD, result.Geometry2D, result.Geometry1D),
			Pattern:    either(o.Interleaved, result.PatternInterleaved, result.PatternContiguous),
			Mode:       either(o.Collective, result.ModeCollective, result.ModeIndependent),
			Layout:     either(o.Chunked, result.LayoutChunked, result.LayoutContiguous),
			ChunkBytes: chunk,
			WriteOnly:  o.WriteOnly, Verify: o.Verify, KeepFiles: o.Keep,
			HDF5Settings: hdf5, MPIIOSettings: mpiio, Conditions: conditions,
		},
		Steps:    sweep.steps,
		Ignored:  hints.Ignored,
		Warnings: hints.Warnings,
		Notes: slices.Concat(mpiioNotes, hints.Warnings, hints.Notes, hdf5Notes, sizeNotes,
			fillNotes(apis, hdf5, o.Chunked), sweepNotes, spreadNotes(conditions.Spread, sweep.steps, job)),
	}
	p = enoughPairs(fittedBlock(p, given), given.Iterations, given.Conditions)
	return finished(p, job, checkFilesPerProcess, checkDataset, checkSteps)
}
