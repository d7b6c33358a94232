package bench

import (
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
)

// measurement is the clocks of one direction of an iteration, on this process.
type measurement struct {
	started, ended                time.Time
	open, access, transfer, close time.Duration
}

// phase writes or reads one file: opens it, accesses its datasets in turn, closes it.
func (c *caseRun) phase(op engine.Op, m *measurement) *failure {
	c.op = op
	if op == engine.Write {
		c.enter("open")
		if f := c.agree("open", writable(filepath.Dir(c.path))); f != nil {
			return f
		}
	}
	c.barrier("open")
	c.enter("open")
	start := c.Now()
	if m.started.IsZero() {
		m.started = start
	}
	file, err := c.session.Open(c.path, op)
	f := c.agree("open", err)
	m.open += c.Now().Sub(start)
	for k := 0; f == nil && k < c.plan.Parameters.Datasets; k++ {
		f = c.dataset(file, k, m)
	}
	err = nil
	c.enter("close")
	start = c.Now()
	if file != nil {
		err = file.Close()
	}
	m.close += c.Now().Sub(start)
	m.ended = c.Now()
	if f != nil {
		return f // also where the close failed: the first error counts
	}
	return c.agree("close", err)
}

// writable finds what would make the creation of a file fail on this process alone: then MPI_File_open of Open MPI 4 never
// returns, on any process (its ranks wait for each other in different barriers).
func writable(dir string) error {
	if err := unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("data files cannot be made in %s: %w", dir, err)
	}
	return nil
}

// dataset creates or opens a dataset, transfers all of it and closes it.
func (c *caseRun) dataset(file engine.File, k int, m *measurement) *failure {
	c.enter("dataset")
	start := c.Now()
	set, err := file.Dataset(k, c.content.tag, c.content.inLoop)
	m.access += c.Now().Sub(start)
	f := c.agree("dataset", err)
	if f == nil {
		f = c.transfer(set, k, m)
	}
	if set == nil {
		return f
	}
	c.enter("dataset close")
	start = c.Now()
	err = set.Close()
	m.access += c.Now().Sub(start)
	if f != nil {
		return f
	}
	return c.agree("dataset close", err)
}

// transfer runs the transfer loop, in one batch, or where content must be made or compared between transfers, in batches
// that fit the buffers.
func (c *caseRun) transfer(set engine.Dataset, k int, m *measurement) *failure {
	total := c.spec.Sequence.Transfers()
	batch := total
	between := c.content.between(c.op, c.plan.Parameters.Verify)
	if between {
		batch = c.spec.Buffer.Slots
	}
	at := c.where("transfer")
	at.Progress = func() uint64 { return set.Progress().Bytes }
	var err error
	for t := uint64(0); err == nil && t < total; t += batch {
		n := min(batch, total-t)
		if between {
			c.content.before(c.op, k, t, n)
			if c.spec.Collective { // start together, as the loop would have gone on together
				if f := c.agree("transfer", nil); f != nil {
					return f
				}
				c.barrier("transfer")
			}
		}
		c.tell(at)
		start := c.Now()
		err = set.Transfer(n)
		d := c.Now().Sub(start)
		m.transfer += d
		m.access += d
		if err == nil && c.op == engine.Read && c.plan.Parameters.Verify {
			c.content.compare(k, t, n)
		}
	}
	if p := set.Progress(); err == nil && p.Bytes != total*c.spec.Sequence.TransferBytes() {
		err = &engine.Error{Call: c.op.String(), Path: c.path, Bytes: total * c.spec.Sequence.TransferBytes(), Moved: p.Bytes, Err: engine.ErrShort}
	}
	if f := c.agree("transfer", err); f != nil {
		return f
	}
	if c.op == engine.Read && c.plan.Parameters.Verify {
		return c.agree("verify", c.content.verdict(c.path, k))
	}
	return nil
}
