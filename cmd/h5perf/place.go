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
func (a *arm) place() plan.Job {
	_, nodes := mpi.Node(a.world)
	var job plan.Job
	if a.world.Rank() == 0 {
		a.enter(bench.Where{Phase: phaseStart, Path: a.Getenv(a.prefix)})
		job = cli.Place(a.prefix, a.Getenv, a.world.Size(), nodes)
	}
	defer a.enter(bench.Where{})
	return mpi.Broadcast(a.world, job, 0)
}
