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
	*ioRole
	m    *measurement
	at   Activity
	next workload.Batch // the next transfers
	sync workload.Batch // a sync of the file

	done                uint64 // transfers done
	maxBatch            uint64 // largest number of transfers in a batch
	verify              bool   // data are compared after reads
	worksBetweenBatches bool   // buffers are prepared or compared between batches
	syncsEachBatch      bool   // each batch is synced
	// Each batch is an epoch, because there is work between batches, or because calls are collective. Otherwise each
	// process does batch after batch at its own pace, in one epoch.
	lockstep bool
}

// transferBatch does all transfers of a batch, in one call, or in several if there is work between transfers.
func (c *caseRun) transferBatch(s *ioRole, b *workload.Batch, m *measurement) *failure {
	k, move, total := b.First, &s.program.Moves[b.Move], b.NumTransfers
	if c.transfersWritten != nil && c.op == workload.Read && c.writesFiles() {
		total = c.transfersWritten[k]
	}
	l := &transferLoop{
		caseRun: c, ioRole: s, m: m, at: c.activityIn(result.PhaseTransfer), next: *b, maxBatch: max(1, total),
		sync: workload.Batch{Class: workload.Sync, Op: b.Op, File: b.File, Move: workload.NoMove},
	}
	l.at.Progress = func() uint64 { return s.session.Progress(b.Move).Bytes }
	l.verify = c.op == workload.Read && c.plan.Parameters.Verify
	if l.worksBetweenBatches = s.sweepContent.needsBufferWork(c.op, l.verify); l.worksBetweenBatches {
		l.maxBatch = move.Buffer.Slots
	}
	if l.syncsEachBatch = c.syncsEachTransfer(); l.syncsEachBatch {
		l.maxBatch = 1
	}
	collective := move.Collective || l.syncsEachBatch && s.session.CollectiveSync()
	l.lockstep = l.worksBetweenBatches || collective && (l.maxBatch < total || c.transfersWritten != nil)
	var f *failure
	if c.transfersWritten != nil {
		f = l.runWithinLimit(total)
	} else {
		f = l.runUntilCount(total)
	}
	if f != nil {
		return f
	}
	bytes := l.done * move.Sequence.TransferBytes()
	var err error
	if p := s.session.Progress(b.Move); p.Bytes != bytes {
		err = &engine.CallError{
			Call: c.op.String(), Path: c.path, Bytes: bytes, Moved: p.Bytes,
			Err: engine.ErrShortTransfer,
		}
	}
	if f := c.agreeOnError(result.PhaseTransfer, err); f != nil {
		return f
	}
	if c.transfersWritten != nil {
		c.transfersWritten[k] = l.done
	}
	m.bytes += bytes
	if !l.verify {
		return nil
	}
	if f := c.agreeOnError(result.PhaseVerify, s.sweepContent.differenceError(c.path, k)); f != nil || c.writesFiles() {
		return f
	}
	return c.agreeOnError(result.PhaseVerify, c.checkOneWriter(s.sweepContent.writer))
}

// runUntilCount does transfers until this process has done the number to of transfers in the dataset.
func (l *transferLoop) runUntilCount(to uint64) *failure {
	if !l.lockstep {
		return l.runInOneEpoch(func() uint64 { return min(l.maxBatch, to-l.done) })
	}
	for l.done < to {
		if f := l.runBatch(min(l.maxBatch, to-l.done)); f != nil {
			return f
		}
	}
	return nil
}

// runBatch does the next n transfers in an epoch of their own. All processes pass the same n.
func (l *transferLoop) runBatch(n uint64) *failure {
	if l.worksBetweenBatches {
		l.sweepContent.prepareBuffers(l.op, l.next.First, l.done, n)
	}
	apart := l.syncsEachBatch && l.session.CollectiveSync() // no process may sync before all have transferred
	left := n
	f := l.runInOneEpoch(func() uint64 {
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
			l.sweepContent.findWriter(l.next.First, l.done-n)
		}
		l.sweepContent.compareBuffers(l.next.First, l.done-n, n)
	}
	return f
}

// runInOneEpoch does batches of transfers in one epoch, without waiting for other processes between them. next returns
// the number of transfers of the next batch; 0 ends the epoch. If a sync follows each batch, and the sync is not
// collective, it is part of the epoch.
func (l *transferLoop) runInOneEpoch(next func() uint64) *failure {
	syncs := l.syncsEachBatch && !l.session.CollectiveSync()
	does := workload.Transfer
	if syncs {
		does = alternatingClass
	}
	synced := time.Duration(0)
	f := l.timeEpoch(l.at, does, l.m, func() error {
		for n := next(); n > 0; n = next() {
			l.next.NumTransfers = n
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
	l.m.ownTimes[workload.Sync] += synced
	l.m.ownTimes[alternatingClass] -= synced
	return f
}

// checkOneWriter returns an error if the processes found different writers of a file: its parts come from several runs,
// iterations or files. Collective over the processes of the case.
func (c *caseRun) checkOneWriter(own fill.Tag) error {
	numbers := []int{own.Run, own.Iteration, own.File}
	highest := make([]*mpi.ReducedValue, len(numbers))
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
