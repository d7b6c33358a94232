package plan

import (
	"slices"

	"h5perf/pkg/engine/mpiio/mpiioconf"
	"h5perf/pkg/result"
)

// judgedHints returns what is known of the effect of the hints in a run of these APIs.
func judgedHints(s mpiioconf.Settings, apis []string, job Job) mpiioconf.Judgement {
	if len(s.Hints) > 0 && !slices.Contains(apis, result.MPIIO) && !slices.Contains(apis, result.PHDF5) {
		return mpiioconf.Judgement{Warnings: []string{
			"hints have no effect: no API that is measured uses MPI-IO",
		}}
	}
	return s.Judge(job.MPIIO, job.TargetType)
}
