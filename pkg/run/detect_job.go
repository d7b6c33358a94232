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
	"h5perf/pkg/workload"
)

// DetectJob returns facts that the plan of a run depends on: the file system, the nodes and the processes. It assumes
// that this machine is one of the nodes. variable is the environment variable that names the base directory for data
// files.
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

// detectJob returns the facts that the plan depends on, such as the file system and the number of nodes. All processes
// get the facts of rank 0, so that all make the same plan. Collective.
func (a *arm) detectJob() plan.JobFacts {
	j := a.job
	_, nodes := mpi.Node(j.world)
	var at plan.JobFacts
	if j.world.Rank() == 0 {
		j.reportActivity(bench.Activity{Phase: result.PhaseStart, Path: a.request.Getenv(j.Prefix)})
		at = DetectJob(j.Prefix, a.request.Getenv, j.world.Size(), nodes)
	}
	defer j.reportActivity(bench.Activity{})
	at = mpi.Broadcast(j.world, at, 0)
	at.ShareAmounts = j.shareAmounts
	return at
}

// shareAmounts computes the amounts of a workload on rank 0, and returns them on all ranks: it may take longer than the
// rest of the start, and all ranks of a node would share its processors. It reports whether rank 0 could compute them.
// Collective.
func (j *job) shareAmounts(compute func() (workload.Amounts, error)) (workload.Amounts, bool) {
	var shared struct {
		Amounts workload.Amounts
		Known   bool
	}
	if j.world.Rank() == 0 {
		all, err := compute()
		shared.Amounts, shared.Known = all, err == nil
	}
	shared = mpi.Broadcast(j.world, shared, 0)
	return shared.Amounts, shared.Known
}
