package figures

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/placement"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// PartOfNodeText says that a job has only some of the processors of a node, so that other jobs may run there. It
// compares the number of processors that Slurm or the control groups (cgroups) give to the job with that of m, the node
// of rank 0. It returns "" if the job has all processors, or if it is not known.
func PartOfNodeText(j result.Job, m result.Machine) string {
	// If Slurm counts cores, or leaves all but one hardware thread of each core idle, a whole node has as many
	// processors as cores.
	part := func(cpus float64) bool { return cpus > 0 && cpus < float64(m.CPUs) && cpus != float64(m.Cores) }
	const text = "%s this job %s of the %d processors of a node: other jobs may run there"
	for _, v := range j.Slurm {
		if v.Key != "SLURM_JOB_CPUS_PER_NODE" {
			continue
		}
		for item := range strings.SplitSeq(v.Value, ",") { // such as 16(x2),8
			count, _, _ := strings.Cut(item, "(")
			if n, err := strconv.Atoi(count); err == nil && part(float64(n)) {
				return fmt.Sprintf(text, "Slurm gave", count, m.CPUs)
			}
		}
	}
	if part(m.GrantedCPUs) {
		return fmt.Sprintf(text, "control groups give", FormatCPUs(m.GrantedCPUs), m.CPUs)
	}
	return ""
}

// OversubscribedText says on which nodes a job has more processes than processors that they may use. It returns "" if
// there are no such nodes, or if the processors are unknown.
func OversubscribedText(j result.Job) string {
	crowded := slices.DeleteFunc(slices.Clone(j.Placement), func(h result.Host) bool {
		return h.CPUs <= 0 || float64(h.Count) <= h.CPUs
	})
	if len(crowded) == 0 {
		return ""
	}
	h := crowded[0]
	cpus := FormatCPUs(h.CPUs) + " processors"
	if h.CPUs == 1 {
		cpus = "1 processor"
	}
	text := fmt.Sprintf("node %s runs %d processes on %s", h.FirstNode(), h.Count, cpus)
	if list := processorsText(h); list != "" {
		text += " (" + list + ")"
	}
	if n := placement.NumNodes(crowded); n > 1 {
		text = fmt.Sprintf("%d of %d nodes run more processes than they have processors; for example, %s",
			n, placement.NumNodes(j.Placement), text)
	}
	return text + "; the processes share processors, so the results are like those of a run with fewer processes"
}

// processorsText lists the processors on which the processes of a node may run. If a CPU quota (cgroup) allows less,
// the text says so. It returns "" if the processors are unknown.
func processorsText(h result.Host) string {
	all := h.Processors()
	text := units.FormatRanges(all)
	if h.CPUs < float64(len(all)) {
		text += ", limited by the quota of the control group"
	}
	return text
}

// FormatCPUs formats a number of processors with at most 2 decimals: a quota may make it a fraction.
func FormatCPUs(n float64) string { return strconv.FormatFloat(math.Round(100*n)/100, 'f', -1, 64) }
