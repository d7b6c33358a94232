package bench

import (
	"h5perf/pkg/engine"
	"h5perf/pkg/result"
)

// syncs reports whether the conditions ask to make written data durable at this time.
func (c *caseRun) syncs(when result.Sync) bool {
	return c.op == engine.Write && c.conditions().Sync == when
}

// sync makes durable what this process wrote, and adds the time to the clock sync. If the API syncs collectively, all
// processes must have agreed before that nothing has failed.
func (c *caseRun) sync(file engine.File, m *measurement) error {
	c.enter(result.PhaseSync)
	start := c.Now()
	err := file.Sync()
	m.sync += c.Now().Sub(start)
	return err
}
