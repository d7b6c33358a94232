//go:build cgo

package main

import (
	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/bench"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
)

// place is what the plan must know of where the run will be, as rank 0 sees it, on all processes, so that all make the same
// plan. Collective.
func (j *job) place() plan.Job {
	_, nodes := mpi.Node(j.world)
	var job plan.Job
	if j.world.Rank() == 0 {
		j.enter(bench.Where{Phase: phaseStart, Path: j.Getenv(j.prefix)})
		job = cli.Place(j.prefix, j.Getenv, j.world.Size(), nodes)
	}
	defer j.enter(bench.Where{})
	return bench.Broadcast(j.world, job, 0)
}
