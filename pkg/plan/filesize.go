package plan

import (
	"fmt"
	"math"

	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// checkMemory returns an error for the strict preset if files are smaller than the memory factor (--memory-factor)
// demands.
func checkMemory(p Plan, job JobFacts) error {
	preset := p.Parameters.Conditions.Preset
	if preset != option.PresetStrict {
		return nil
	}
	if small := smallFilesText(p, job); small != "" {
		return usage.Errorf("--preset %s: %s: such a file may stay in memory; give a larger -e or no -e, "+
			"another preset, or a smaller --memory-factor", preset, small)
	}
	return nil
}

// memoryCautions returns a caution if files are, or may be, smaller than the memory factor demands: the user gave the
// sizes, or the memory of the nodes is unknown.
func memoryCautions(p Plan, job JobFacts) []plain.Caution {
	if factor := option.ValueOrZero(p.Parameters.Conditions.MemoryFactor); factor != 0 && job.MemoryBytes == 0 {
		return []plain.Caution{{
			Keyword: "memory not known",
			Text: fmt.Sprintf("The memory of the nodes is unknown here, so the files may be smaller than "+
				"--memory-factor %g asks for.", factor),
		}}
	}
	if small := smallFilesText(p, job); small != "" {
		return []plain.Caution{{Keyword: "small files", Text: plain.Sentence(small), Help: "a larger -e or no -e"}}
	}
	return smallWorkloadCautions(p, job)
}

// smallWorkloadCautions returns a caution if the strict preset is used with a workload whose files may stay in memory:
// a preset does not change the sizes of a workload.
func smallWorkloadCautions(p Plan, job JobFacts) []plain.Caution {
	pr, err := findPreset(p.Parameters.Conditions.Preset)
	if err != nil || p.Workload == nil || pr.conditions.MemoryFactor == nil || job.MemoryBytes == 0 {
		return nil
	}
	var all uint64 // of the case with the largest files
	for c := range p.Cases() {
		if one, err := c.Iteration(); err == nil { // the error was reported before
			all = max(all, one.KeptSpace.Bytes)
		}
	}
	if float64(all) >= *pr.conditions.MemoryFactor*float64(job.MemoryBytes) {
		return nil
	}
	return []plain.Caution{{
		Keyword: "small files",
		Text: fmt.Sprintf("The files of the workload have %s, less than %g times the memory of the nodes (%s). "+
			"--preset %s does not change the sizes of a workload.", units.FormatBytes(float64(all)),
			*pr.conditions.MemoryFactor, units.FormatBytes(float64(job.MemoryBytes)), pr.name),
		Help: "larger sizes of the workload (--set)",
	}}
}

// smallFilesText says that files are smaller than the memory factor demands. It returns "" if no file is too small, if
// no factor is given, or if the memory of the nodes is unknown.
func smallFilesText(p Plan, job JobFacts) string {
	factor := option.ValueOrZero(p.Parameters.Conditions.MemoryFactor)
	if factor == 0 || job.MemoryBytes == 0 {
		return ""
	}
	least := uint64(math.MaxUint64)
	for c := range p.Cases() {
		least = min(least, saturatingProduct(c.FileDataBytes(), uint64(c.FilesAtOnce())))
	}
	if float64(least) >= factor*float64(job.MemoryBytes) {
		return ""
	}
	return fmt.Sprintf("the smallest file has %s, less than %g times the memory of the nodes (%s)",
		units.FormatBytes(float64(least)), factor, units.FormatBytes(float64(job.MemoryBytes)))
}

// bufferCautions returns a caution if the transfer buffers of all processes of a case do not fit in the memory of the
// nodes.
func bufferCautions(p Plan, job JobFacts) []plain.Caution {
	var largest Case
	var all, each uint64
	for c := range p.Cases() {
		one, err := c.Iteration()
		if err != nil { // the error was reported before
			continue
		}
		if bytes := saturatingProduct(one.BufferBytes, uint64(c.Processes)); bytes > all {
			largest, all, each = c, bytes, one.BufferBytes
		}
	}
	if job.MemoryBytes == 0 || all <= job.MemoryBytes {
		return nil
	}
	return []plain.Caution{{
		Keyword: "large buffers",
		Text: fmt.Sprintf("The transfer buffers need %s for each of %s, and the memory of %s is %s: the system would "+
			"end processes.", units.FormatBytes(float64(each)),
			units.Count(largest.Processes, "process", "processes"), units.Count(job.Nodes, "node", "nodes"),
			units.FormatBytes(float64(job.MemoryBytes))),
		Help: "smaller transfers, fewer processes on a node, or more nodes (--nodes)",
	}}
}
