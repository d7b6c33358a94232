package run

import (
	"math/rand/v2"
	"path/filepath"

	"h5perf/pkg/bench"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/provenance"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

// Place is what a plan must know of where a run will be, as this machine, taken for one of its nodes, sees it. variable
// is the one of the environment that places the data files.
func Place(variable string, getenv func(string) string, processes, nodes int) plan.Job {
	base, mkdir := rundir.Base(variable, getenv)
	target := provenance.Target(base)
	if target.Type == "" && mkdir { // it is yet to be made
		target = provenance.Target(filepath.Dir(base))
	}
	return plan.Job{
		Processes: processes, Nodes: nodes, MemoryBytes: uint64(nodes) * provenance.Machine().MemoryBytes,
		Target: target.MountPoint, TargetType: target.Type, FreeBytes: target.FreeBytes, FreeInodes: target.FreeInodes,
		Seed: rand.Uint64N(1 << 53), // a number in every reader of JSON
	}
}

// place is what the plan must know of where the run will be, as rank 0 sees it, on all processes, so that all make the
// same plan. Collective.
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
