package plan

import (
	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

// Options are the options of a run. What is measured is the sweep of Sizes, unless Serial or Workload is given.
type Options struct {
	option.Sizes
	Serial   *option.SerialSizes // the walk of the serial tool
	Workload *WorkloadOptions
	option.Common
	Verify   bool
	HDF5     option.HDF5
	MPIPosix bool // -m, the file driver mpiposix
	MPIIO    option.MPIIO
	MPIInfo  *string // HDF5_MPI_INFO: hints, overridden by those of MPIIO
}

// WorkloadOptions say which workload is measured.
type WorkloadOptions struct {
	option.Application

	// In the place of the file Workload: its text, which was read before. See ReadFile.
	Text []byte
	// In the place of Workload: a workload as documents have it, of an earlier run or in another layout. Size and Set
	// are those of the document where they are not given.
	Recorded *result.Workload
}

// Kind returns the kind of the document of a run. It asks the options, for there are no parameters before a plan.
func (o Options) Kind() result.Kind {
	switch {
	case o.Serial != nil:
		return result.KindSerial
	case o.Workload != nil:
		return result.KindWorkload
	}
	return result.KindParallel
}
