package cli

import (
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
)

// Measurement is a request to measure: a sweep, a serial run, or a workload.
type Measurement struct {
	run.Request
	Options     plan.Options
	CommandName string        // command that was called; "": the one that measures this kind of run
	Others      []Measurement // measured in turns with this configuration: see AllInTurns
	Tuning      *Tuning       // if not nil, the fastest variant of this configuration is searched
}

func (p parallelOptions) toPlanOptions(lookup func(string) (string, bool)) (plan.Options, error) {
	o, err := p.planOptionsOf(p.CaseOrder, lookup)
	o.Sizes, o.Spread = p.Sizes, p.Spread
	return o, err
}

// planOptionsOf returns the options for a plan that the parallel tool and run have in common.
func (p mpiOptions) planOptionsOf(order option.CaseOrder, lookup func(string) (string, bool)) (plan.Options, error) {
	hdf5, err := p.addSettings(p.ApplyDriver(p.hdf5))
	o := plan.Options{
		Common: p.commonOptions(order, lookup), Verify: p.Debug.verify, MPIPosix: p.MPIPosix, HDF5: hdf5,
		MPIIO: p.mpiio,
	}
	o.Shift = p.Shift
	if info, set := lookup(option.InfoVariable); set {
		o.MPIInfo = &info
	}
	return o, err
}

// UsesThreads reports whether HDF5 will call MPI from its own threads, in this configuration or in one that is measured
// alternately with it. If so, MPI must be initialised with thread support.
func (m Measurement) UsesThreads() bool {
	return usesThreads(m.Options) || m.Tuning.triesSubfiling() ||
		slices.ContainsFunc(m.Others, func(other Measurement) bool { return usesThreads(other.Options) })
}

// usesThreads reports whether HDF5 will call MPI from its own threads with these options, or with a value of --sweep.
func usesThreads(o plan.Options) bool {
	if o.HDF5.UsesThreads() || o.Sweep == nil {
		return o.HDF5.UsesThreads()
	}
	for _, swept := range o.Sweep.Ranges {
		for _, value := range swept.Values {
			one, err := o.Sweep.Options([]result.KeyValue{{Key: swept.Name, Value: value}})
			if err == nil && one.HDF5.UsesThreads() { // an error is reported when the run is planned
				return true
			}
		}
	}
	return false
}
