package cli

import (
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// keeps reports whether data files are kept.
func (c conditions) keeps(lookup func(string) (string, bool)) bool {
	_, set := lookup("HDF5_NOCLEANUP")
	return set || c.Keep
}

// plan returns the conditions for the options of a plan.
func (c conditions) plan(order result.Order, shift *int) plan.Conditions {
	return plan.Conditions{
		Sync: c.Sync, Direct: c.Direct, Cold: c.Cold, Shift: shift, Warmup: c.Warmup, RepeatUntil: c.RepeatUntil,
		MinTime: c.MinTime, MaxIterations: c.MaxIterations, Order: order, Seed: c.Seed, TimeLimit: c.TimeLimit,
		Latency: c.Latency, Data: c.Data, ReadOnly: c.ReadOnly, Profile: c.Profile, MemoryFactor: c.MemoryFactor,
		Timeout: c.Timeout, SpaceCheck: c.SpaceCheck,
	}
}
