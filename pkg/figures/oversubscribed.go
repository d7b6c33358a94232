package figures

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"h5perf/pkg/placement"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

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
