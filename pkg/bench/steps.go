package bench

import (
	"errors"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// An epoch may have steps of several classes, with nothing of the harness between them but a reading of
// the clock. Their classes then have own times only; the epoch has a window.

// compareReads compares what epochs have read with what was written, if that is asked for.
func (c *caseRun) compareReads(s *role, epochs []workload.Epoch) *failure {
	if c.op != workload.Read || !c.plan.Parameters.Verify {
		return nil
	}
	c.enterPhase(result.PhaseVerify)
	return c.agreeOnError(result.PhaseVerify, s.data.compareMemory(epochs, c.path))
}

// runSteps does the steps of an epoch one after another, inside of its clock. If they are of several classes, it adds
// the time of each to its class. begin was called for the first one.
func (c *caseRun) runSteps(s *role, steps []workload.Step, class workload.Class, m *measurement) error {
	if class != mixedClass {
		return c.runStep(s, &steps[0], m)
	}
	last := c.Clock()
	for i := range steps {
		step := &steps[i]
		if i > 0 {
			c.reportActivity(c.beginStep(s, step))
		}
		err := c.runStep(s, step, m)
		now := c.Clock()
		m.own[step.Class] += now - last
		if step.Class != workload.Transfer && step.Class != workload.Compute && step.Class != workload.Fence {
			c.Patience.NoteCall(now - last)
		}
		last = now
		switch {
		case err == nil:
			continue
		case errors.Is(err, errNoTurn): // it is no error of this process
			err = nil
		case errors.As(err, new(agreedFailure)):
			return err
		default:
			err = phaseError{phaseOfClass[step.Class], err}
		}
		c.cancelTurns(steps[i:])
		return err
	}
	return nil
}

// beginStep prepares a step, and returns where the process is in it.
func (c *caseRun) beginStep(s *role, step *workload.Step) Activity {
	if step.Class == workload.FileOpen {
		c.path = c.fileOfBatch(s, &step.Batch).path
		step.Path = c.path
	}
	s.data.setBatchStamp(&step.Batch, c.op == workload.Write || c.writesFiles())
	at := c.activityIn(phaseOfClass[step.Class])
	switch step.Class {
	case workload.Compute:
		return Activity{Done: c.moved}
	case workload.Fence:
		at.Waiting = true
	case workload.Transfer:
		move := step.Move
		at.Progress = func() uint64 { return s.session.Progress(move).Bytes }
	}
	return at
}

// runStep does a step. A file of process 0 is of no concern to the others.
func (c *caseRun) runStep(s *role, step *workload.Step, m *measurement) error {
	if c.Stop.IsSet() {
		return engine.ErrStopped
	}
	switch {
	case step.Class == workload.Compute:
		m.planned += step.Duration
		return c.sleepToCompute(step.Duration)
	case step.Class == workload.Fence:
		return c.passFence(step)
	case s.program.Files[step.File].Group == workload.Root && s.rank != 0:
		return nil
	}
	if err := s.session.Do(&step.Batch); err != nil {
		return err
	}
	if step.Class == workload.Transfer {
		bytes := transferBytes(&s.program, &step.Batch)
		m.bytes, c.moved = m.bytes+bytes, c.moved+bytes
	}
	return nil
}

// passFence waits for all processes of the case, or does a part of a turn.
func (c *caseRun) passFence(step *workload.Step) error {
	switch {
	case step.Turn == workload.NoTurn: // a process that has failed comes to the agreement at the end of the epoch
		if f := c.agreeOnError(phaseOfClass[workload.Fence], nil); f != nil {
			return agreedFailure{f}
		}
	case step.Neighbour == workload.NoRank:
	case step.Turn == workload.Pass:
		c.work.Signal(c.rankOfPart(step.Neighbour), codeGood)
	default:
		code, came := c.work.AwaitSignal(c.rankOfPart(step.Neighbour), c.Stop.IsSet)
		switch {
		case !came:
			return engine.ErrStopped
		case code != codeGood:
			return errNoTurn
		}
	}
	return nil
}

// agreedFailure is the error of a process that learns at a fence that another one has failed, or is to stop.
type agreedFailure struct{ *failure }

func (agreedFailure) Error() string { return "another process has failed" }

// errNoTurn is returned to a process that gets no turn, because one before it has failed.
var errNoTurn = errors.New("a process before this one has failed")

// cancelTurns tells the next process of the band, if it waits for its turn in the rest of an epoch, that it gets none:
// so it comes to the agreement at once.
func (c *caseRun) cancelTurns(rest []workload.Step) {
	for i := range rest {
		if s := &rest[i]; s.Turn == workload.Pass && s.Neighbour != workload.NoRank {
			c.work.Signal(c.rankOfPart(s.Neighbour), codeFailed)
		}
	}
}

// rankOfPart returns the process that does the part of a rank.
func (c *caseRun) rankOfPart(rank int) int {
	if c.op == workload.Read {
		return c.readerRankOf(rank)
	}
	return rank
}

// transferBytes returns the number of bytes that a batch of transfers moves.
func transferBytes(p *workload.Program, b *workload.Batch) uint64 {
	bytes := uint64(0)
	for i := range b.Moves() {
		bytes += b.Count * p.Moves[i].TransferBytes()
	}
	return bytes
}

// maxSleep is how long a process that computes sleeps before it looks whether it is to stop.
const maxSleep = 50 * time.Millisecond

// sleepToCompute sleeps for the time that an application would compute.
func (c *caseRun) sleepToCompute(duration time.Duration) error {
	for end := c.Clock() + duration; ; {
		rest := end - c.Clock()
		if rest <= 0 {
			return nil
		}
		if c.Stop.IsSet() {
			return engine.ErrStopped
		}
		c.enterPhase(result.PhaseCompute) // it does not hang, however long this takes
		c.Sleep(min(rest, maxSleep))
	}
}
