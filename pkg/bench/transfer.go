package bench

import (
	"fmt"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// loop is the transfers of a dataset.
type loop struct {
	*caseRun
	*side
	file engine.File
	set  engine.Dataset
	m    *measurement
	at   Where

	k        int    // the dataset, from 0
	done     uint64 // transfers
	most     uint64 // transfers in a batch
	verify   bool
	between  bool // content is made or compared between batches
	each     bool // batches are synced
	together bool // there may be several batches, of collective calls: they begin together, as one loop would have gone on together
}

// transfer runs the transfer loop, in one batch, or where something is to be done between transfers, in several. Every error
// is agreed on where the other processes come to agree next, on whatever.
func (c *caseRun) transfer(file engine.File, set engine.Dataset, k int, m *measurement) *failure {
	s := c.sides[c.op]
	total := s.spec.Sequence.Transfers()
	if c.written != nil && c.op == engine.Read && c.writes() {
		total = c.written[k]
	}
	at := c.where(result.PhaseTransfer)
	l := &loop{caseRun: c, side: s, file: file, set: set, m: m, at: at, k: k, most: max(1, total)}
	l.at.Progress = func() uint64 { return set.Progress().Bytes }
	l.verify = c.op == engine.Read && c.plan.Parameters.Verify
	if l.between = s.content.between(c.op, l.verify); l.between {
		l.most = s.spec.Buffer.Slots
	}
	if l.each = c.syncs(result.SyncEach); l.each {
		l.most = 1
	}
	collective := s.spec.Collective || l.each && s.session.CollectiveSync()
	l.together = collective && (l.most < total || c.written != nil)
	var f *failure
	if c.written != nil {
		f = l.limited(total)
	} else {
		f = l.run(total)
	}
	if f != nil {
		return f
	}
	bytes := l.done * s.spec.Sequence.TransferBytes()
	var err error
	if p := set.Progress(); p.Bytes != bytes {
		err = &engine.Error{Call: c.op.String(), Path: c.path, Bytes: bytes, Moved: p.Bytes, Err: engine.ErrShort}
	}
	if f := c.agree(result.PhaseTransfer, err); f != nil {
		return f
	}
	if c.written != nil {
		c.written[k] = l.done
	}
	m.bytes += bytes * uint64(c.work.Size())
	if !l.verify {
		return nil
	}
	if f := c.agree(result.PhaseVerify, s.content.verdict(c.path, k)); f != nil || c.writes() {
		return f
	}
	return c.agree(result.PhaseVerify, c.oneWriter(s.content.writer))
}

// run goes on until so many transfers are done.
func (l *loop) run(to uint64) *failure {
	for l.done < to {
		if f := l.batch(min(l.most, to-l.done)); f != nil {
			return f
		}
	}
	return nil
}

// batch does the next n transfers.
func (l *loop) batch(n uint64) *failure {
	if l.between {
		l.content.before(l.op, l.k, l.done, n)
	}
	if l.together {
		if f := l.agree(result.PhaseTransfer, nil); f != nil {
			return f
		}
		l.barrier(result.PhaseTransfer)
	}
	l.tell(l.at)
	start := l.Now()
	err := l.set.Transfer(n)
	d := l.Now().Sub(start)
	l.m.transfer += d
	l.m.access += d
	if err != nil {
		return l.agree(result.PhaseTransfer, err)
	}
	if l.verify {
		if !l.writes() {
			l.content.findWriter(l.k, l.done)
		}
		l.content.compare(l.k, l.done, n)
	}
	l.done += n
	if l.each {
		return l.syncBatch()
	}
	return nil
}

// syncBatch makes a batch durable.
func (l *loop) syncBatch() *failure {
	if l.session.CollectiveSync() {
		if f := l.agree(result.PhaseTransfer, nil); f != nil {
			return f
		}
	}
	if err := l.sync(l.file, l.m); err != nil {
		return l.agree(result.PhaseSync, err)
	}
	return nil
}

// oneWriter refuses a file of which the processes found parts of several runs, iterations or files.
func (c *caseRun) oneWriter(own fill.Tag) error {
	numbers := []int{own.Run, own.Iteration, own.File}
	highest := make([]*mpi.Extremes, len(numbers))
	var all mpi.Reduction
	for i, number := range numbers {
		highest[i] = all.Add(float64(number))
	}
	all.Run(c.work)
	for i, number := range numbers {
		if float64(number) != highest[i].Max {
			return fmt.Errorf("%s holds data of several writers: here of run %d, iteration %d, file %d, which is not what rank %d found",
				c.path, own.Run, own.Iteration, own.File, highest[i].MaxRank)
		}
	}
	return nil
}

// spent is the time of the clocks that a time limit holds for.
func (l *loop) spent() time.Duration { return l.m.transfer + l.m.sync }
