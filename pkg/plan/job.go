package plan

// Job is what a plan must know of where it will run. All processes of a run plan with the same.
type Job struct {
	Processes   int
	Nodes       int
	MemoryBytes uint64 // of all nodes together; 0 is unknown
	Target      string // mount point of the file system that the data files will be on
	TargetType  string // of file system, as in /proc/mounts; "" is unknown, and so is what is free on it
	FreeBytes   uint64 // on the target, for this user
	FreeInodes  uint64 // 0 is unknown: some file systems make inodes as they need them
	Seed        uint64 // drawn by chance, for a random order without a seed of its own
}
