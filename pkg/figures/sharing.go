package figures

import (
	"fmt"
	"strconv"
	"strings"

	"h5perf/pkg/result"
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
