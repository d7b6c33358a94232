package bench

import (
	"h5perf/pkg/engine"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// timeFilters measures, on the first process, the filters of the datasets that a workload writes. Collective over the
// processes of the case.
func (c *caseRun) timeFilters() *failure {
	if !c.writesFiles() || c.plan.HasRegularTransfers() {
		return nil
	}
	timer, is := c.arm.Engines[c.plan.API]().(engine.FilterTimer)
	if !is {
		return nil
	}
	if !c.isFirstRank() {
		return c.agreeOnError(result.PhasePrepare, nil)
	}
	role := c.firstRole()
	all, err := timer.TimeFilters(role.env, role.program, c.arm.Dir.DataPath("filters", c.plan.API))
	for _, f := range all {
		c.out.FilterTimes = append(c.out.FilterTimes, result.FilterTime{
			Dataset: f.Dataset, Filters: f.Filters, Bytes: f.Bytes,
			Write: f.With[workload.Write].Seconds(), WriteWithout: f.Without[workload.Write].Seconds(),
			Read: f.With[workload.Read].Seconds(), ReadWithout: f.Without[workload.Read].Seconds(),
		})
	}
	return c.agreeOnError(result.PhasePrepare, err)
}
