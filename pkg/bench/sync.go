package bench

import (
	"h5perf/pkg/engine"
	"h5perf/pkg/result"
)

// syncs reports whether the conditions ask to make written data durable at this time.
func (c *caseRun) syncs(when result.Sync) bool {
	return c.op == engine.Write && c.conditions().Sync == when
}
