package plan

import (
	"h5perf/pkg/option"
	"h5perf/pkg/workload"
)

// JobFacts describes the job and the target on which a plan depends. All processes of a run must make the plan with
// equal JobFacts.
type JobFacts struct {
	Processes   int
	Nodes       int
	MemoryBytes uint64 // of all nodes together; 0 if unknown
	Target      string // mount point of the file system that the data files will be on
	TargetType  string // file system type, as in /proc/mounts; "" if unknown: then FreeBytes and FreeInodes are, too
	FreeBytes   uint64 // on the target, for this user
	FreeInodes  uint64 // 0 if unknown: some file systems create inodes on demand
	Seed        uint64 // a random number, for a random order without a given seed
	HDF5        option.HDF5Library
	MPIIO       option.MPILibrary

	// ShareAmounts lets rank 0 compute the amounts of a workload, and returns them on all ranks. It reports whether
	// rank 0 could compute them. Collective. If nil, this process computes them.
	ShareAmounts func(compute func() (workload.Amounts, error)) (workload.Amounts, bool) `json:"-"`
}
