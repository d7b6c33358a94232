package run

import (
	"fmt"

	"h5perf/pkg/bench"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// checkPrograms returns an error, the same on all processes, if the processes cannot execute their programs of the
// workload together. The arm must be planned. Collective.
func (a *arm) checkPrograms() error {
	w, world := a.plan.Workload, a.job.world
	if w == nil {
		return nil
	}
	defer a.job.reportActivity(bench.Activity{})
	plain := false
	for c := range a.plan.Cases() {
		plain = plain || result.APIOf(c.API).PlainFiles
	}
	err := bench.CheckPrograms(world, func() (workload.Program, error) {
		return w.Program(uint64(world.Rank()), uint64(world.Size()))
	}, plain)
	if err != nil {
		return fmt.Errorf("workload %s: %w", a.plan.Parameters.Workload.Name, err)
	}
	return nil
}
