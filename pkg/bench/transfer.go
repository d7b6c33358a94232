package bench

import (
	"fmt"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// transferLoop does the transfers of one dataset.
type transferLoop struct {
	*caseRun
	*role
	m    *measurement
	at   Activity
	next workload.Batch // the next transfers
	sync workload.Batch // a sync of the file

	done    uint64 // transfers done
	most    uint64 // largest number of transfers in a batch
	verify  bool   // data are compared after reads
	between bool   // buffers are prepared or compared between batches
	each    bool   // each batch is synced
	// Each batch is an epoch, because there is work between batches, or because calls are collective. Otherwise each
	// process does batch after batch at its own pace, in one epoch.
	lockstep bool
}

// transferBatch does all transfers of a batch, in one call, or in several if there is work between transfers.
func (c *caseRun) transferBatch(s *role, b *workload.Batch, m *measurement) *failure {
	k, move, total := b.First, &s.program.Moves[b.Move], b.Times
	if c.written != nil && c.op == workload.Read && c.writesFiles() {
		total = c.written[k]
	}
	l := &transferLoop{
		caseRun: c, role: s, m: m, at: c.activityIn(result.PhaseTransfer), next: *b, most: max(1, total),
		sync: workload.Batch{Class: workload.Sync, Op: b.Op, File: b.File, Move: workload.NoMove},
	}
	l.at.Progress = func() uint64 { return s.session.Progress(b.Move).Bytes }
	l.verify = c.op == workload.Read && c.plan.Parameters.Verify
	if l.between = s.content.worksBetween(c.op, l.verify); l.between {
		l.most = move.Buffer.Slots
	}
	if l.each = c.syncsEach(); l.each {
		l.most = 1
	}
	collective := move.Collective || l.each && s.session.CollectiveSync()
	l.lockstep = l.between || collective && (l.most < total || c.written != nil)
	var f *failure
	if c.written != nil {
		f = l.runWithinLimit(total)
	} else {
		f = l.runUntil(total)
	}
	if f != nil {
		return f
	}
	bytes := l.done * move.Sequence.TransferBytes()
	var err error
	if p := s.session.Progress(b.Move); p.Bytes != bytes {
		err = &engine.CallError{Call: c.op.String(), Path: c.path, Bytes: bytes, Moved: p.Bytes, Err: engine.ErrShort}
	}
	if f := c.agreeOnError(result.PhaseTransfer, err); f != nil {
		return f
	}
	if c.written != nil {
		c.written[k] = l.done
	}
	m.bytes += bytes
	if !l.verify {
		return nil
	}
	if f := c.agreeOnError(result.PhaseVerify, s.content.differenceError(c.path, k)); f != nil || c.writesFiles() {
		return f
	}
	return c.agreeOnError(result.PhaseVerify, c.checkOneWriter(s.content.writer))
}

// runUntil does transfers until the number of transfers done is to.
func (l *transferLoop) runUntil(to uint64) *failure {
	if !l.lockstep {
		return l.runAtOwnPace(func() uint64 { return min(l.most, to-l.done) })
	}
	for l.done < to {
		if f := l.runBatch(min(l.most, to-l.done)); f != nil {
			return f
		}
	}
	return nil
}

// runBatch does the next n transfers in an epoch of their own. All processes pass the same n.
func (l *transferLoop) runBatch(n uint64) *failure {
	if l.between {
		l.content.prepareBuffers(l.op, l.next.First, l.done, n)
	}
	apart := l.each && l.session.CollectiveSync() // no process may sync before all have transferred
	left := n
	f := l.runAtOwnPace(func() uint64 {
		next := left
		left = 0
		return next
	})
	if f == nil && apart {
		f = l.timeEpoch(l.activityIn(result.PhaseSync), workload.Sync, l.m,
			func() error { return l.session.Do(&l.sync) })
	}
	if f == nil && l.verify {
		if !l.writesFiles() {
			l.content.findWriter(l.next.First, l.done-n)
		}
		l.content.compareBuffers(l.next.First, l.done-n, n)
	}
	return f
}

// runAtOwnPace does batches, in one epoch. next returns the number of transfers of the next batch; 0 ends the epoch. If
// each batch is synced, and the sync is not collective, the syncs belong to the epoch.
func (l *transferLoop) runAtOwnPace(next func() uint64) *failure {
	syncs := l.each && !l.session.CollectiveSync()
	does := workload.Transfer
	if syncs {
		does = alternatingClass
	}
	synced := time.Duration(0)
	f := l.timeEpoch(l.at, does, l.m, func() error {
		for n := next(); n > 0; n = next() {
			l.next.Times = n
			if err := l.session.Do(&l.next); err != nil {
				return err
			}
			l.done += n
			if !syncs {
				continue
			}
			l.enterPhase(result.PhaseSync)
			start := l.Clock()
			err := l.session.Do(&l.sync)
			took := l.Clock() - start
			synced += took
			l.Patience.NoteCall(took)
			if err != nil {
				return phaseError{result.PhaseSync, err}
			}
			l.reportActivity(l.at)
		}
		return nil
	})
	l.m.own[workload.Sync] += synced
	l.m.own[alternatingClass] -= synced
	return f
}

// checkOneWriter returns an error if the processes found different writers of a file: its parts come from several runs,
// iterations or files. Collective over the processes of the case.
func (c *caseRun) checkOneWriter(own fill.Tag) error {
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
