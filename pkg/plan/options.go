package plan

import (
	"h5perf/pkg/option"
)

// Options are the options of the parallel tool.
type Options struct {
	option.Sizes
	option.Common
	Verify   bool
	HDF5     option.HDF5
	MPIPosix bool // -m, the file driver mpiposix
	MPIIO    option.MPIIO
	MPIInfo  *string // HDF5_MPI_INFO: hints, overridden by those of MPIIO
}

// SerialOptions are the options of the serial tool.
type SerialOptions struct {
	option.SerialSizes
	option.Common
	Verify bool
	HDF5   option.HDF5
}
