package run

import (
	"fmt"

	"h5perf/pkg/bench"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// checkPrograms returns an error, the same on all processes, if the processes cannot execute their programs of the
// workload together. The arm must be planned. Collective.
func (a *arm) checkPrograms() error {
	world := a.job.world
	for _, p := range a.plan.AllParts() {
		w := p.Workload
		if w == nil {
			return nil
		}
		err := bench.CheckPrograms(world, func() (workload.Program, error) {
			return w.Program(uint64(world.Rank()), uint64(world.Size()))
		}, hasPlainFiles(p))
		a.job.reportActivity(bench.Activity{})
		if err != nil {
			return nameWorkload(p, err)
		}
	}
	return nil
}

// CheckPlan returns the error with which a run of a workload on a number of processes would be refused because of what
// the processes do together. It compares their programs, unless there are more than bench.MaxComparedPrograms.
func CheckPlan(p plan.Plan, processes int) error {
	if p.Workload == nil || processes > bench.MaxComparedPrograms {
		return nil
	}
	for _, part := range p.AllParts() {
		programs := make([]workload.Program, processes)
		for rank := range programs {
			var err error
			if programs[rank], err = part.Workload.Program(uint64(rank), uint64(processes)); err != nil {
				return nameWorkload(part, err)
			}
		}
		if err := bench.CheckAllPrograms(programs, hasPlainFiles(part)); err != nil {
			return nameWorkload(part, err)
		}
	}
	return nil
}

// hasPlainFiles reports whether an API of a plan writes plain files.
func hasPlainFiles(p plan.Plan) bool {
	for c := range p.Cases() {
		if result.APIOf(c.API).PlainFiles {
			return true
		}
	}
	return false
}

// nameWorkload returns an error about the programs of a plan with the name of its workload, or nil.
func nameWorkload(p plan.Plan, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("workload %s: %w", p.Parameters.Workload.Name, err)
}
