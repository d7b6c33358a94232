package bench

import (
	"time"

	"h5perf/pkg/engine"
)

// measurement is the clocks of one direction of an iteration, on this process.
type measurement struct {
	started, ended                time.Time
	open, access, transfer, close time.Duration
}

// phase writes or reads one file: opens it, accesses its datasets in turn, closes it.
func (c *caseRun) phase(op engine.Op, path string, m *measurement) *failure {
	c.op = op
	c.work.Barrier()
	start := c.Now()
	if m.started.IsZero() {
		m.started = start
	}
	file, err := c.session.Open(path, op)
	f := c.agree("open", err)
	m.open += c.Now().Sub(start)
	for k := 0; f == nil && k < c.plan.Parameters.Datasets; k++ {
		f = c.dataset(file, k, m)
	}
	err = nil
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

// dataset creates or opens a dataset, transfers all of it and closes it.
func (c *caseRun) dataset(file engine.File, k int, m *measurement) *failure {
	tag := c.content.tag(c.iteration, c.file)
	start := c.Now()
	set, err := file.Dataset(k, tag, c.content.inLoop)
	m.access += c.Now().Sub(start)
	f := c.agree("dataset", err)
	if f == nil {
		if c.first() {
			c.Observer.Working(func() uint64 { return set.Progress().Bytes })
		}
		f = c.transfer(set, k, tag, m)
		if c.first() {
			c.Observer.Working(nil)
		}
	}
	if set == nil {
		return f
	}
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
func (c *caseRun) transfer(set engine.Dataset, k int, tag uint64, m *measurement) *failure {
	total := c.spec.Sequence.Transfers()
	batch := total
	between := c.content.between(c.op, c.plan.Parameters.Verify)
	if between {
		batch = c.spec.Buffer.Slots
	}
	base := uint64(k) * c.spec.DatasetBytes
	var err error
	for t := uint64(0); err == nil && t < total; t += batch {
		n := min(batch, total-t)
		if between {
			c.content.before(c.op, base, tag, t, n)
			if c.spec.Collective { // start together, as the loop would have gone on together
				if f := c.agree("transfer", nil); f != nil {
					return f
				}
				c.work.Barrier()
			}
		}
		start := c.Now()
		err = set.Transfer(n)
		d := c.Now().Sub(start)
		m.transfer += d
		m.access += d
		if err == nil && c.op == engine.Read && c.plan.Parameters.Verify {
			c.content.compare(base, tag, t, n)
		}
	}
	if p := set.Progress(); err == nil && p.Bytes != total*c.spec.Sequence.TransferBytes() {
		err = &engine.Error{Call: c.op.String(), Path: c.Dir.File(c.file, c.plan.API), Bytes: total * c.spec.Sequence.TransferBytes(), Moved: p.Bytes, Err: engine.ErrShort}
	}
	if f := c.agree("transfer", err); f != nil {
		return f
	}
	if c.op == engine.Read && c.plan.Parameters.Verify {
		return c.agree("verify", c.content.verdict(c.Dir.File(c.file, c.plan.API), k))
	}
	return nil
}
