package figures

import (
	"fmt"
	"strconv"
	"strings"

	"h5perf/pkg/result"
)

// PartOfNode returns, in words, that Slurm has given a job only some of the processors of a node, which has cpus of
// them: other jobs may run there. It returns "" if it has given all, or if that is not known.
func PartOfNode(j result.Job, cpus int) string {
	for _, v := range j.Slurm {
		if v.Key != "SLURM_JOB_CPUS_PER_NODE" {
			continue
		}
		for item := range strings.SplitSeq(v.Value, ",") { // such as 16(x2),8
			count, _, _ := strings.Cut(item, "(")
			if n, err := strconv.Atoi(count); err == nil && n < cpus {
				return fmt.Sprintf("Slurm has given this job %d of the %d processors of a node: other jobs may run "+
					"there", n, cpus)
			}
		}
	}
	return ""
}
