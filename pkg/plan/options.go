package plan

import (
	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

// Options holds the options of a run. The run measures the sweep of Sizes, unless Serial or Workload is set.
type Options struct {
	option.Sizes
	Serial   *option.SerialSizes // the dataset of the serial tool
	Workload *WorkloadOptions
	option.Common
	Verify   bool
	HDF5     option.HDF5
	MPIPosix bool // -m, the file driver mpiposix
	MPIIO    option.MPIIO
	MPIInfo  *string // value of HDF5_MPI_INFO: hints, overridden by those of MPIIO
	Sweep    *Sweep  // options whose values become cases, or nil
}

// WorkloadOptions says which workload is measured.
type WorkloadOptions struct {
	option.Application

	// Text of the file Workload, if it was read before. See ReadFile.
	Text []byte
	// If not nil, it replaces Workload: the workload recorded in a document, of an earlier run or in another layout.
	// Size and Set default to those of the document.
	Recorded *result.Workload
}

// GivenAPIs returns the APIs that the user gave.
func (o Options) GivenAPIs() []string {
	given, _ := stagesByKind[o.Kind()].apis(o)
	return given
}

// Kind returns the kind of the document that the run writes. It depends on the options only, since it is needed before
// there is a plan.
func (o Options) Kind() result.Kind {
	switch {
	case o.Serial != nil:
		return result.KindSerial
	case o.Workload != nil:
		return result.KindWorkload
	}
	return result.KindParallel
}
