package bench

import (
	"h5perf/pkg/engine"
	"h5perf/pkg/result"
)

// syncs tells whether data are made durable at this time.
func (c *caseRun) syncs(when result.Sync) bool {
	return c.op == engine.Write && c.conditions().Sync == when
}

// sync makes what this process wrote durable, in its own time. Where the API syncs collectively, all processes must have
// agreed that nothing has failed.
func (c *caseRun) sync(file engine.File, m *measurement) error {
	c.enter(result.PhaseSync)
	start := c.Now()
	err := file.Sync()
	m.sync += c.Now().Sub(start)
	return err
}
