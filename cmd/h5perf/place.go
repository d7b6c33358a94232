package main

import (
	"os"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/bench"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
)

// place is what the plan must know of where the run will be, as rank 0 sees it, on all processes, so that all make the same
// plan. variable is the one that places the data files. Collective.
func place(world mpi.Comm, variable string) plan.Job {
	_, nodes := mpi.Node(world)
	var job plan.Job
	if world.Rank() == 0 {
		job = cli.Place(variable, os.Getenv, world.Size(), nodes)
	}
	return bench.Broadcast(world, job, 0)
}
