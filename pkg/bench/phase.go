package bench

import (
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
	"h5perf/pkg/result"
)

// measurement holds the clocks of one operation of an iteration, on this process.
type measurement struct {
	started, ended                      time.Time
	open, access, transfer, close, sync time.Duration
	create                              time.Duration // creating datasets; part of access
	bytes                               uint64        // moved by all processes
	limit                               limitMet
	cache                               residency
}

// phase writes or reads one file: it opens the file, accesses its datasets one after another, and closes the file.
func (c *caseRun) phase(op engine.Op, m *measurement) *failure {
	c.op = op
	if op == engine.Write {
		c.enter(result.PhaseOpen)
		if f := c.agree(result.PhaseOpen, writable(filepath.Dir(c.path))); f != nil {
			return f
		}
	}
	c.barrier(result.PhaseOpen)
	c.enter(result.PhaseOpen)
	start := c.Now()
	if m.started.IsZero() {
		m.started = start
	}
	file, err := c.roles[op].session.Open(c.path, op)
	f := c.agree(result.PhaseOpen, err)
	m.open += c.Now().Sub(start)
	for k := 0; f == nil && k < c.plan.Parameters.Datasets; k++ {
		f = c.dataset(file, k, m)
	}
	if f == nil && c.syncs(result.SyncClose) {
		f = c.agree(result.PhaseSync, c.sync(file, m))
	}
	err = nil
	c.enter(result.PhaseClose)
	start = c.Now()
	if file != nil {
		err = file.Close()
	}
	m.close += c.Now().Sub(start)
	m.ended = c.Now()
	if f != nil {
		return f // also if the close failed: the first error counts
	}
	if f = c.agree(result.PhaseClose, err); f == nil {
		c.keepLatency(op)
	}
	return f
}

// writable returns an error if this process cannot create files in a directory. It must be found before
// MPI_File_open: if the creation fails on some processes only, that function never returns in Open MPI 4, on any
// process (they wait for each other in different barriers).
func writable(dir string) error {
	if err := unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("data files cannot be made in %s: %w", dir, err)
	}
	return nil
}

// dataset creates or opens dataset k, does all its transfers, and closes it.
func (c *caseRun) dataset(file engine.File, k int, m *measurement) *failure {
	content := c.roles[c.op].content
	c.enter(result.PhaseDataset)
	start := c.Now()
	set, err := file.Dataset(k, content.tag, content.inLoop)
	d := c.Now().Sub(start)
	m.access += d
	m.create += d
	f := c.agree(result.PhaseDataset, err)
	if f == nil {
		f = c.transfer(file, set, k, m)
	}
	if f == nil && c.syncs(result.SyncPhase) {
		f = c.agree(result.PhaseSync, c.sync(file, m))
	}
	if set == nil {
		return f
	}
	c.enter(result.PhaseDatasetClose)
	start = c.Now()
	err = set.Close()
	m.access += c.Now().Sub(start)
	if f != nil {
		return f
	}
	return c.agree(result.PhaseDatasetClose, err)
}
