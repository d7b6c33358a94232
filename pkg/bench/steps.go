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

// compare compares what epochs have read with what was written, if that is asked for.
func (c *caseRun) compare(s *role, epochs []workload.Epoch) *failure {
	if c.op != workload.Read || !c.plan.Parameters.Verify {
		return nil
	}
	c.enter(result.PhaseVerify)
	return c.agree(result.PhaseVerify, s.data.compare(epochs, c.path))
}

// run does the steps of an epoch one after another, inside of its clock. If they are of several classes, it adds the
// time of each to its class. begin was called for the first one.
func (c *caseRun) run(s *role, steps []workload.Step, class workload.Class, m *measurement) error {
	if class != mixed {
		return c.step(s, &steps[0], m)
	}
	last := c.Clock()
	for i := range steps {
		step := &steps[i]
		if i > 0 {
			c.notify(c.begin(s, step))
		}
		err := c.step(s, step, m)
		now := c.Clock()
		m.own[step.Class] += now - last
		if step.Class != workload.Transfer && step.Class != workload.Compute && step.Class != workload.Fence {
			c.Patience.See(now - last)
		}
		last = now
		switch {
		case err == nil:
			continue
		case errors.Is(err, errNoTurn): // it is no error of this process
			err = nil
		case errors.As(err, new(agreed)):
			return err
		default:
			err = phased{phaseOf[step.Class], err}
		}
		c.noTurn(steps[i:])
		return err
	}
	return nil
}

// begin prepares a step, and returns where the process is in it.
func (c *caseRun) begin(s *role, step *workload.Step) Where {
	if step.Class == workload.FileOpen {
		c.path = c.fileOf(s, &step.Batch).path
		step.Path = c.path
	}
	s.data.stamp(&step.Batch, c.op == workload.Write || c.writes())
	at := c.where(phaseOf[step.Class])
	switch step.Class {
	case workload.Compute:
		return Where{Done: c.moved}
	case workload.Fence:
		at.Waiting = true
	case workload.Transfer:
		move := step.Move
		at.Progress = func() uint64 { return s.session.Progress(move).Bytes }
	}
	return at
}

// step does a step. A file of process 0 is of no concern to the others.
func (c *caseRun) step(s *role, step *workload.Step, m *measurement) error {
	if c.Stop.IsSet() {
		return engine.ErrStopped
	}
	switch {
	case step.Class == workload.Compute:
		m.planned += step.Duration
		return c.compute(step.Duration)
	case step.Class == workload.Fence:
		return c.fence(step)
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

// fence waits for all processes of the case, or does a part of a turn.
func (c *caseRun) fence(step *workload.Step) error {
	switch {
	case step.Turn == workload.NoTurn: // a process that has failed comes to the agreement at the end of the epoch
		if f := c.agree(phaseOf[workload.Fence], nil); f != nil {
			return agreed{f}
		}
	case step.Neighbour == workload.NoRank:
	case step.Turn == workload.Pass:
		c.work.Signal(c.does(step.Neighbour), good)
	default:
		code, came := c.work.AwaitSignal(c.does(step.Neighbour), c.Stop.IsSet)
		switch {
		case !came:
			return engine.ErrStopped
		case code != good:
			return errNoTurn
		}
	}
	return nil
}

// agreed is the error of a process that learns at a fence that another one has failed, or is to stop.
type agreed struct{ *failure }

func (agreed) Error() string { return "another process has failed" }

// errNoTurn is returned to a process that gets no turn, because one before it has failed.
var errNoTurn = errors.New("a process before this one has failed")

// noTurn tells the next process of the band, if it waits for its turn in the rest of an epoch, that it gets none: so it
// comes to the agreement at once.
func (c *caseRun) noTurn(rest []workload.Step) {
	for i := range rest {
		if s := &rest[i]; s.Turn == workload.Pass && s.Neighbour != workload.NoRank {
			c.work.Signal(c.does(s.Neighbour), failed)
		}
	}
}

// does returns the process that does the part of a rank.
func (c *caseRun) does(rank int) int {
	if c.op == workload.Read {
		return c.readerOf(rank)
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

// longestSleep is how long a process that computes sleeps before it looks whether it is to stop.
const longestSleep = 50 * time.Millisecond

// compute sleeps for the time that an application would compute.
func (c *caseRun) compute(duration time.Duration) error {
	for end := c.Clock() + duration; ; {
		rest := end - c.Clock()
		if rest <= 0 {
			return nil
		}
		if c.Stop.IsSet() {
			return engine.ErrStopped
		}
		c.enter(result.PhaseCompute) // it does not hang, however long this takes
		c.Sleep(min(rest, longestSleep))
	}
}
