package doctor

import (
	"fmt"

	"h5perf/pkg/figures"
	"h5perf/pkg/placement"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// CheckProcessors returns the check of whether each process of a job has its own processor.
func CheckProcessors(j result.Job) Check {
	c := Check{Name: "processors", Verdict: OK}
	if crowded := figures.OversubscribedText(j); crowded != "" {
		c.Verdict, c.Finding = Warning, crowded
		c.Advice = "start fewer processes on a node, or give them more processors: change the binding of the " +
			"launcher (--bind-to of mpiexec, --cpu-bind and --cpus-per-task of srun), or the cpuset or quota of " +
			"their control group (--cpus of docker and podman, limits of a pod)"
		return c
	}
	sum := 0.0
	for _, h := range j.Placement {
		if h.CPUs <= 0 {
			c.Finding = "it is unknown how many processors the processes may use on node " + h.FirstNode()
			return c
		}
		sum += h.CPUs * float64(placement.NumNodes([]result.Host{h}))
	}
	c.Finding = fmt.Sprintf("%s on %s may use %s", units.Count(j.Processes, "process", "processes"),
		units.Count(placement.NumNodes(j.Placement), "node", "nodes"), figures.FormatCPUs(sum))
	return c
}

// CheckSharing returns a warning that other jobs may run on the same nodes. part says which part of a node the job has,
// as figures.PartOfNodeText does.
func CheckSharing(part string) Check {
	return Check{
		Name: "sharing", Verdict: Warning, Finding: part,
		Advice: "request whole nodes, for example with sbatch --exclusive; each sample of a run records how much " +
			"processor time other programs used",
	}
}
