package plan

import (
	"h5perf/pkg/option"
)

// JobFacts is what a plan depends on of the place where the run will be. All processes of a run plan with the same Job.
type JobFacts struct {
	Processes   int
	Nodes       int
	MemoryBytes uint64 // of all nodes together; 0 is unknown
	Target      string // mount point of the file system that the data files will be on
	TargetType  string // its type, as in /proc/mounts; "" is unknown, and then so are FreeBytes and FreeInodes
	FreeBytes   uint64 // on the target, for this user
	FreeInodes  uint64 // 0 is unknown: some file systems make inodes as they need them
	Seed        uint64 // a random number, for a random order without a given seed
	HDF5        option.HDF5Library
	MPIIO       option.MPILibrary
}
