package plan

import (
	"slices"

	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// judgeHints returns which effect the hints are known to have in a run with these APIs.
func judgeHints(s option.MPIIO, apis []string, job JobFacts) option.HintJudgement {
	if len(s.Hints) > 0 && !slices.Contains(apis, result.MPIIO) && !slices.Contains(apis, result.PHDF5) {
		return option.HintJudgement{Cautions: []plain.Caution{{
			Word: "hints without effect", Text: "The hints have no effect: no API that is measured uses MPI-IO.",
		}}}
	}
	return s.JudgeHints(job.MPIIO, job.TargetType)
}
