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

	k       int    // the dataset, from 0
	done    uint64 // transfers done
	most    uint64 // largest number of transfers in a batch
	verify  bool   // data are compared after reads
	between bool   // buffers are prepared or compared between batches
	each    bool   // each batch is synced
	// Each batch is an epoch: there is something to do between batches, or calls are collective. Otherwise each process
	// does batch after batch at its own pace.
	lockstep bool
}

// transfer does all transfers of dataset k: in one batch, or in several if there is something to do between
// transfers.
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
	l.lockstep = l.between || collective && (l.most < total || c.written != nil)
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
	if !l.lockstep {
		return l.atOwnPace(func() uint64 { return min(l.most, to-l.done) })
	}
	for l.done < to {
		if f := l.batch(min(l.most, to-l.done)); f != nil {
			return f
		}
	}
	return nil
}

// batch does the next n transfers in an epoch of their own. All processes do the same number.
func (l *loop) batch(n uint64) *failure {
	if l.between {
		l.content.before(l.op, l.k, l.done, n)
	}
	apart := l.each && l.session.CollectiveSync() // nobody may sync before all have transferred
	left := n
	f := l.atOwnPace(func() uint64 {
		next := left
		left = 0
		return next
	})
	if f == nil && apart {
		f = l.epoch(l.where(result.PhaseSync), syncing, l.m, l.file.Sync)
	}
	if f == nil && l.verify {
		if !l.writes() {
			l.content.findWriter(l.k, l.done-n)
		}
		l.content.compare(l.k, l.done-n, n)
	}
	return f
}

// atOwnPace does batches, in one epoch, until next returns 0 for the number of transfers of the next one. If each batch
// is synced, and that is no collective call, the sync belongs to the epoch.
func (l *loop) atOwnPace(next func() uint64) *failure {
	syncs := l.each && !l.session.CollectiveSync()
	does := transferring
	if syncs {
		does = alternating
	}
	synced := time.Duration(0)
	f := l.epoch(l.at, does, l.m, func() error {
		for n := next(); n > 0; n = next() {
			if err := l.set.Transfer(n); err != nil {
				return err
			}
			l.done += n
			if !syncs {
				continue
			}
			l.enter(result.PhaseSync)
			start := l.Clock()
			err := l.file.Sync()
			took := l.Clock() - start
			synced += took
			l.Patience.See(took)
			if err != nil {
				return phased{result.PhaseSync, err}
			}
			l.notify(l.at)
		}
		return nil
	})
	l.m.own[syncing] += synced
	l.m.own[alternating] -= synced
	return f
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
			return fmt.Errorf("%s holds data of more than one run, iteration or file: this rank read data of "+
				"run %d, iteration %d, file %d, but rank %d read other data",
				c.path, own.Run, own.Iteration, own.File, highest[i].MaxRank)
		}
	}
	return nil
}
