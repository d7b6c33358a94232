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

// OversubscribedText returns, in words, on which nodes of a job there are more processes than processors that they may
// use. It returns "" if there are none, or if that is not known.
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

// processorsText returns the processors that processes of a node may run on, and whether a quota lets them use fewer.
// It returns "" if they are not known.
func processorsText(h result.Host) string {
	all := h.Processors()
	text := units.FormatRanges(all)
	if h.CPUs < float64(len(all)) {
		text += ", limited by the quota of the control group"
	}
	return text
}

// FormatCPUs returns a number of processors, which a quota may make a fraction, with at most 2 decimals.
func FormatCPUs(n float64) string { return strconv.FormatFloat(math.Round(100*n)/100, 'f', -1, 64) }
