package plan

import (
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// New returns the plan of a run in a job. It fills in defaults, and lowers sizes as the C tools do. If no block size is
// given and the default of the C tool does not fit, it chooses another one. New returns a *usage.Error that names the
// nearest fitting sizes if the options cannot be measured. For a serial run, only the memory, target and seed of the
// job matter.
//
// With o.Sweep, the plan has a part for each combination of values.
func New(o Options, job JobFacts) (Plan, error) {
	if o.Sweep != nil {
		return newSweptPlan(o, job)
	}
	given, kind := o, stagesByKind[o.Kind()]
	apis, err := chosenAPIs(kind.apis(o))
	if err != nil {
		return Plan{}, err
	}
	var w *workloadFit
	if kind.adaptWorkload != nil {
		if w, err = kind.adaptWorkload(o, usesHDF5(apis), job); err != nil {
			return Plan{}, err
		}
		o.WriteOnly = o.WriteOnly || !w.HasFunction(workload.Read)
	}
	if o, err = completeSizes(o, job); err != nil {
		return Plan{}, err
	}
	mpiio, mpiioNotes, err := completeMPIIO(o, kind.mpiio)
	if err != nil {
		return Plan{}, err
	}
	hdf5, hdf5Notes, err := completeHDF5(o, kind, w, apis, mpiio.HintsSet, job.HDF5)
	if err != nil {
		return Plan{}, err
	}
	iterations, err := chosenIterations(o.Iterations, o.Conditions)
	if err != nil {
		return Plan{}, err
	}
	conditions, err := completeConditions(o.Conditions, iterations, job)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{
		Parameters: result.Parameters{
			APIs: apis, Iterations: iterations, WriteOnly: o.WriteOnly, Verify: o.Verify, KeepFiles: o.Keep,
			HDF5Settings: hdf5, MPIIOSettings: mpiio, Conditions: conditions,
		},
		Notes: hdf5Notes,
	}
	p, err = kind.addCases(p, o, given, w, job)
	if err != nil {
		return p, err
	}
	hints := findHintEffects(p, job)
	p.Ignored, p.Cautions = hints.Ignored, slices.Concat(hints.Cautions, p.Cautions)
	p.Notes = slices.Concat(mpiioNotes, hints.Notes, p.Notes)
	return checkAndFinish(withEnoughPairs(p, given.Iterations, given.Conditions), job)
}

// completeMPIIO returns the settings of MPI-IO, and notes about them. It returns no settings if mayHave is false,
// because this kind of run has no MPI-IO.
func completeMPIIO(o Options, mayHave bool) (option.MPIIO, []string, error) {
	if !mayHave {
		return option.MPIIO{}, nil, nil
	}
	return o.MPIIO.Complete(o.MPIInfo)
}

// completeHDF5 returns the HDF5 settings of a run with these APIs, and notes about them. w is the workload of the run,
// or nil.
func completeHDF5(
	o Options, kind kindStages, w *workloadFit, apis []string, hints bool, library option.HDF5Library,
) (option.HDF5, []string, error) {
	r := option.HDF5RunFacts{
		MPIPosix: o.MPIPosix, UsesHDF5: usesHDF5(apis), Hints: hints, WriteOnly: o.WriteOnly, Library: library,
	}
	kind.setHDF5Facts(o, w, &r)
	if w == nil {
		return o.HDF5.Complete(r)
	}
	settings, notes, err := w.settings.Complete(r)
	if err != nil {
		err = w.explainSettings(err, r)
	}
	return settings, notes, err
}
