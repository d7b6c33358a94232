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

// DetectJob returns the facts about the place of a run that its plan depends on. It assumes that this machine is
// one of the nodes. variable is the environment variable that names the base directory for data files.
func DetectJob(variable string, getenv func(string) string, processes, nodes int) plan.JobFacts {
	base, mkdir := rundir.BaseDirectory(variable, getenv)
	target := node.Target(rundir.ResolveLinks(base))
	if target.Type == "" && mkdir { // the directory will be created later
		target = node.Target(rundir.ResolveLinks(base[:strings.LastIndexByte(base, '/')+1]))
	}
	return plan.JobFacts{
		Processes: processes, Nodes: nodes, MemoryBytes: uint64(nodes) * node.Machine().MemoryBytes,
		Target: target.MountPoint, TargetType: target.Type, FreeBytes: target.FreeBytes, FreeInodes: target.FreeInodes,
		Seed: rand.Uint64N(1 << 53), // exact in all JSON readers
	}
}

// detectJob returns the facts about the place of the run that the plan depends on. All processes get the facts of
// rank 0, so that all make the same plan. Collective.
func (a *arm) detectJob() plan.JobFacts {
	j := a.job
	_, nodes := mpi.Node(j.world)
	var at plan.JobFacts
	if j.world.Rank() == 0 {
		j.reportActivity(bench.Activity{Phase: result.PhaseStart, Path: a.request.Getenv(j.Prefix)})
		at = DetectJob(j.Prefix, a.request.Getenv, j.world.Size(), nodes)
	}
	defer j.reportActivity(bench.Activity{})
	return mpi.Broadcast(j.world, at, 0)
}
