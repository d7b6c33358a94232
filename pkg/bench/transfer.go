package bench

import (
	"fmt"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// loop does the transfers of one dataset.
type loop struct {
	*caseRun
	*role
	file engine.File
	set  engine.Dataset
	m    *measurement
	at   Where

	k        int    // the dataset, from 0
	done     uint64 // transfers done
	most     uint64 // largest number of transfers in a batch
	verify   bool   // data are compared after reads
	between  bool   // buffers are prepared or compared between batches
	each     bool   // each batch is synced
	together bool   // batches begin with a barrier: there may be several, of collective calls
}

// transfer does all transfers of dataset k: in one batch, or in several if there is something to do between
// transfers. An error of one process is reported by the next agreement that all processes come to, whichever phase
// that ends.
func (c *caseRun) transfer(file engine.File, set engine.Dataset, k int, m *measurement) *failure {
	s := c.roles[c.op]
	total := s.spec.Sequence.Transfers()
	if c.written != nil && c.op == engine.Read && c.writes() {
		total = c.written[k]
	}
	at := c.where(result.PhaseTransfer)
	l := &loop{caseRun: c, role: s, file: file, set: set, m: m, at: at, k: k, most: max(1, total)}
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

// run does transfers until to of them are done.
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
	l.notify(l.at)
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

// syncBatch makes durable what the last batch wrote.
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

// oneWriter returns an error if the processes found different writers of a file: parts of it are of several runs,
// iterations or files. Collective over the processes of the case.
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
			return fmt.Errorf("%s holds data of several writers: here of run %d, iteration %d, file %d, "+
				"which is not what rank %d found", c.path, own.Run, own.Iteration, own.File, highest[i].MaxRank)
		}
	}
	return nil
}

// spent returns the time that counts towards a time limit: transfers and syncs.
func (l *loop) spent() time.Duration { return l.m.transfer + l.m.sync }
