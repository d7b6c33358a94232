package bench

import (
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// addEngineReport adds what the engine reports about this visit to the report of earlier visits: calls, settings, hints
// and file sizes. Collective.
func (c *caseRun) addEngineReport() {
	before := c.out.Effective
	if before == nil {
		before = &result.Effective{}
	}
	now := &result.Effective{
		Calls: before.Calls, SetViews: before.SetViews, Extensions: before.Extensions,
		CollectiveWrites: before.CollectiveWrites, CollectiveReads: before.CollectiveReads,
	}
	for _, s := range c.distinctRoles() {
		e := s.session.Report()
		mpi.SumInPlace(c.work, &e.Calls, &e.SetViews, &e.Extensions)
		now.Calls += e.Calls
		now.SetViews += e.SetViews
		now.Extensions += e.Extensions
		now.Driver, now.Hints, now.Settings = e.Driver, e.Hints, e.Settings
		now.CollectiveWrites = c.addCollectiveCounts(now.CollectiveWrites, e.Collective[workload.Write])
		now.CollectiveReads = c.addCollectiveCounts(now.CollectiveReads, e.Collective[workload.Read])
	}
	objects, files := c.objectsByFile(), c.firstRole().program.Files
	for i := range c.files {
		if files[c.files[i].family].ObjectFiles && result.APIOf(c.plan.API).ObjectFiles {
			continue // it is a directory, whose size is not that of the files in it
		}
		for k, part := range c.files[i].parts {
			size := result.FileSize{Name: part.Name, Bytes: part.Bytes}
			if k == 0 {
				of := objects[files[c.files[i].family].Name]
				size.Objects, size.Unlinked = of.left, of.unlinked
			}
			now.Files = append(now.Files, size)
		}
	}
	c.out.Effective = now
}

// addCollectiveCounts adds what HDF5 reports about collective transfers on all processes to the counts of earlier
// visits. Numbers are summed. The optimizations and causes come from the first process that was not the cause of
// independent transfers, from the first one whose transfers were not all fully collective, or from rank 0. Collective.
func (c *caseRun) addCollectiveCounts(before *result.Collective, own *engine.CollectiveModes) *result.Collective {
	if own == nil { // own is nil on all processes or on none
		return before
	}
	sums := *own
	mpi.SumInPlace(c.work, &sums.Collective, &sums.Mixed, &sums.Independent)
	const allCollective, notCollective, notTheCause = 0, 1, 2
	code := allCollective
	switch {
	case len(own.LocalCauses) < len(own.GlobalCauses):
		code = notTheCause
	case own.Mixed+own.Independent > 0:
		code = notCollective
	}
	highest, rank, err := c.work.Agree(code, c.Stop.IsSet, c.Grace, mpi.Awake)
	if err != nil {
		c.Abort(c.newError(result.PhaseEffective, err))
	}
	words := mpi.Broadcast(c.work, *own, rank)
	now := &result.Collective{
		Optimization: words.ChunkOptimizations, LocalCauses: words.LocalCauses, GlobalCauses: words.GlobalCauses,
		Collective: sums.Collective, Mixed: sums.Mixed, Independent: sums.Independent,
	}
	if before != nil {
		if highest == allCollective {
			now.Optimization = before.Optimization
			now.LocalCauses, now.GlobalCauses = before.LocalCauses, before.GlobalCauses
		}
		now.Collective += before.Collective
		now.Mixed += before.Mixed
		now.Independent += before.Independent
	}
	return now
}
