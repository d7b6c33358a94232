package run

import (
	"math/rand/v2"
	"strings"

	"h5perf/pkg/bench"
	"h5perf/pkg/mpi"
	"h5perf/pkg/node"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

// Place returns what a plan must know of the place of a run. It takes this machine for one of the nodes. variable is
// the environment variable that places the data files.
func Place(variable string, getenv func(string) string, processes, nodes int) plan.Job {
	base, mkdir := rundir.Base(variable, getenv)
	target := node.Target(rundir.Resolve(base))
	if target.Type == "" && mkdir { // it will be made later
		target = node.Target(rundir.Resolve(base[:strings.LastIndexByte(base, '/')+1]))
	}
	return plan.Job{
		Processes: processes, Nodes: nodes, MemoryBytes: uint64(nodes) * node.Machine().MemoryBytes,
		Target: target.MountPoint, TargetType: target.Type, FreeBytes: target.FreeBytes, FreeInodes: target.FreeInodes,
		Seed: rand.Uint64N(1 << 53), // exact in every reader of JSON
	}
}

// place returns what the plan must know of the place of the run, as rank 0 sees it. All processes get the same, so that
// all make the same plan. Collective.
func (a *arm) place() plan.Job {
	j := a.job
	_, nodes := mpi.Node(j.world)
	var at plan.Job
	if j.world.Rank() == 0 {
		j.enter(bench.Where{Phase: result.PhaseStart, Path: a.request.Getenv(j.Prefix)})
		at = Place(j.Prefix, a.request.Getenv, j.world.Size(), nodes)
	}
	defer j.enter(bench.Where{})
	return mpi.Broadcast(j.world, at, 0)
}
