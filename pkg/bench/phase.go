package bench

import (
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/result"
)

// measurement holds the clocks of one operation of an iteration.
type measurement struct {
	started, ended time.Time
	own            [parts]time.Duration // of this process
	epochs         []epoch              // whose windows are not found yet
	window         [parts]time.Duration // the same on all processes
	count          [parts]int           // number of epochs in window
	limited        bool                 // epochs are those until a time limit
	bytes          uint64               // moved by all processes
	limit          limitMet
	cache          residency
}

// phase writes or reads one file: it opens the file, accesses its datasets one after another, and closes the file.
func (c *caseRun) phase(op engine.Op, m *measurement) *failure {
	c.op = op
	if m.started.IsZero() {
		m.started = c.Now()
	}
	if op == engine.Write {
		c.enter(result.PhaseOpen)
		began := c.Now()
		if f := c.agreeSince(began, result.PhaseOpen, c.makeFiles(m)); f != nil {
			return f
		}
	}
	var file engine.File
	f := c.epoch(c.where(result.PhaseOpen), opening, m, func() (err error) {
		file, err = c.roles[op].session.Open(c.path, op)
		return err
	})
	for k := 0; f == nil && k < c.plan.Parameters.Datasets; k++ {
		f = c.dataset(file, k, m)
	}
	if f == nil && c.syncs(result.SyncClose) {
		f = c.epoch(c.where(result.PhaseSync), syncing, m, file.Sync)
	}
	if f != nil {
		c.enter(result.PhaseClose)
		if file != nil {
			_ = file.Close() // the first error counts
		}
		return f
	}
	f = c.epoch(c.where(result.PhaseClose), closing, m, file.Close)
	m.ended = c.Now()
	if f == nil {
		c.keepLatency(op)
	}
	return f
}

// dataset creates or opens dataset k, does all its transfers, and closes it.
func (c *caseRun) dataset(file engine.File, k int, m *measurement) *failure {
	content := c.roles[c.op].content
	var set engine.Dataset
	f := c.epoch(c.where(result.PhaseDataset), creating, m, func() (err error) {
		known := c.op == engine.Write || c.writes() // who wrote the data
		set, err = file.Dataset(k, content.tag, content.inLoop && known)
		return err
	})
	if f == nil {
		f = c.transfer(file, set, k, m)
	}
	if f == nil && c.syncs(result.SyncPhase) {
		f = c.epoch(c.where(result.PhaseSync), syncing, m, file.Sync)
	}
	if f != nil {
		c.enter(result.PhaseDatasetClose)
		if set != nil {
			_ = set.Close() // the first error counts
		}
		return f
	}
	return c.epoch(c.where(result.PhaseDatasetClose), closingDataset, m, set.Close)
}

// syncs reports whether the conditions ask to make written data durable at this time.
func (c *caseRun) syncs(when result.Sync) bool {
	return c.op == engine.Write && c.conditions().Sync == when
}
