package plan

import (
	"fmt"
	"math"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// checkMemory refuses a run of the strict profile whose files are smaller than the memory factor asks for.
func checkMemory(p Plan, job Job) error {
	profile := p.Parameters.Conditions.Profile
	if profile != result.ProfileStrict {
		return nil
	}
	if small := smallFiles(p, job); small != "" {
		return usage.Errorf("--profile %s: %s: it may never leave memory; "+
			"give a larger -e, leave it out, or name another profile or a smaller --memory-factor", profile, small)
	}
	return nil
}

// memoryNotes returns a note where files are, or may be, smaller than the memory factor asks for, because sizes are
// given.
func memoryNotes(p Plan, job Job) []string {
	factor := p.Parameters.Conditions.MemoryFactor
	if factor != 0 && job.MemoryBytes == 0 {
		return []string{fmt.Sprintf("--memory-factor %g: how much memory the nodes have cannot be told here, "+
			"nor whether the files are large enough", factor)}
	}
	if small := smallFiles(p, job); small != "" {
		return []string{fmt.Sprintf("--memory-factor %g: %s; leave -e out, or give more", factor, small)}
	}
	return nil
}

// smallFiles returns a sentence on files that are smaller than the memory factor asks for. It is "" where there are
// none, no factor is given, or the memory is unknown.
func smallFiles(p Plan, job Job) string {
	factor := p.Parameters.Conditions.MemoryFactor
	if factor == 0 || job.MemoryBytes == 0 {
		return ""
	}
	least := uint64(math.MaxUint64)
	for c := range p.Cases() {
		least = min(least, c.FileDataBytes())
	}
	if float64(least) >= factor*float64(job.MemoryBytes) {
		return ""
	}
	return fmt.Sprintf("the smallest file has %s bytes, less than %g times the memory of the nodes, %s",
		units.FormatSize(least), factor, units.FormatSize(job.MemoryBytes))
}
