package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"

	"h5perf/pkg/bench"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/provenance"
	"h5perf/pkg/rundir"
)

// place is what the plan must know of where the run will be: the node and the target of rank 0, on all processes, so that
// all make the same plan. variable is the one that places the data files. Collective.
func place(world mpi.Comm, variable string) plan.Job {
	_, nodes := mpi.Node(world)
	var job plan.Job
	if world.Rank() == 0 {
		base, mkdir := rundir.Base(variable, os.Getenv)
		target := provenance.Target(base)
		if target.Type == "" && mkdir { // it is yet to be made
			target = provenance.Target(filepath.Dir(base))
		}
		job = plan.Job{
			Processes: world.Size(), Nodes: nodes, MemoryBytes: uint64(nodes) * provenance.Machine().MemoryBytes,
			Target: target.MountPoint, TargetType: target.Type, FreeBytes: target.FreeBytes, FreeInodes: target.FreeInodes, Seed: rand.Uint64N(1 << 53), // a number in every JSON reader
		}
	}
	return bench.Broadcast(world, job, 0)
}
