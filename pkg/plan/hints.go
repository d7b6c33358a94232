package plan

import (
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// findHintEffects returns which effect the hints are known to have in a run with these APIs.
func findHintEffects(s option.MPIIO, apis []string, job JobFacts) option.HintEffects {
	if len(s.Hints) > 0 && !slices.Contains(apis, result.MPIIO) && !slices.Contains(apis, result.PHDF5) {
		return option.HintEffects{Cautions: []plain.Caution{{
			Keyword: "hints without effect", Text: "The hints have no effect: no API that is measured uses MPI-IO.",
		}}}
	}
	return s.FindHintEffects(job.MPIIO, job.TargetType)
}
