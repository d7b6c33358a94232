package plan

import (
	"fmt"
	"math"

	"h5perf/pkg/option"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// checkMemory refuses a run of the strict preset whose files are smaller than the memory factor asks for.
func checkMemory(p Plan, job Job) error {
	preset := p.Parameters.Conditions.Preset
	if preset != option.PresetStrict {
		return nil
	}
	if small := smallFiles(p, job); small != "" {
		return usage.Errorf("--preset %s: %s: such a file may stay in memory; give a larger -e or no -e, "+
			"another preset, or a smaller --memory-factor", preset, small)
	}
	return nil
}

// memoryNotes returns a note where files are, or may be, smaller than the memory factor asks for, because sizes are
// given.
func memoryNotes(p Plan, job Job) []string {
	factor := option.Value(p.Parameters.Conditions.MemoryFactor)
	if factor != 0 && job.MemoryBytes == 0 {
		return []string{fmt.Sprintf("--memory-factor %g: the memory of the nodes is unknown here, "+
			"so the files may be too small", factor)}
	}
	if small := smallFiles(p, job); small != "" {
		return []string{fmt.Sprintf("--memory-factor %g: %s; give a larger -e or no -e", factor, small)}
	}
	return nil
}

// smallFiles returns a sentence on files that are smaller than the memory factor asks for. It is "" where there are
// none, no factor is given, or the memory is unknown.
func smallFiles(p Plan, job Job) string {
	factor := option.Value(p.Parameters.Conditions.MemoryFactor)
	if factor == 0 || job.MemoryBytes == 0 {
		return ""
	}
	least := uint64(math.MaxUint64)
	for c := range p.Cases() {
		least = min(least, times(c.FileDataBytes(), uint64(c.FilesAtOnce())))
	}
	if float64(least) >= factor*float64(job.MemoryBytes) {
		return ""
	}
	return fmt.Sprintf("the smallest file has %s, less than %g times the memory of the nodes (%s)",
		units.FormatBytes(float64(least)), factor, units.FormatBytes(float64(job.MemoryBytes)))
}
