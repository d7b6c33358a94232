package bench

import (
	"errors"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// An epoch may have steps of several classes, with only a reading of the clock between them. Then a class has a time on
// each process, and only the epoch has a window.

// compareReads compares the data that epochs have read with the data that were written, if the case verifies. It first
// frees what the API has allocated for them.
func (c *caseRun) compareReads(s *ioRole, epochs []workload.Epoch) *failure {
	verifies := c.plan.Parameters.Verify
	// a sweep reads nothing back
	if !verifies && !convertsMemory(s) || c.op == workload.Write && c.plan.HasRegularTransfers() {
		return nil
	}
	c.enterPhase(result.PhaseVerify)
	err := convertMemory(s, epochs, engine.MemoryConverter.ReadMemory)
	if err == nil && verifies {
		err = s.data.compareMemory(epochs, c.path)
	}
	return c.agreeOnError(result.PhaseVerify, err)
}

// runSteps runs the steps of an epoch one after another, while its clock runs. If they have several classes, it adds
// the time of each step to its class. The caller must have called beginStep for the first step.
func (c *caseRun) runSteps(s *ioRole, steps []workload.Step, class workload.StepClass, m *measurement) error {
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
		m.ownTimes[step.TimedClass(c.op)] += now - last
		if step.Class != workload.Transfer && step.Class != workload.Compute && step.Class != workload.Fence {
			c.Patience.NoteCall(now - last)
		}
		last = now
		switch {
		case err == nil:
			continue
		case errors.Is(err, errNoTurn): // not an error of this process
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

// beginStep prepares a step, and returns its activity.
func (c *caseRun) beginStep(s *ioRole, step *workload.Step) Activity {
	if step.Class == workload.FileOpen {
		c.path = c.fileOfBatch(s, &step.Batch).path
		step.Path = c.path
	}
	s.data.setBatchStamp(&step.Batch, c.op == workload.Write || c.writesFiles())
	at := c.activityIn(phaseOfClass[step.Class])
	switch step.Class {
	case workload.Compute:
		return Activity{Done: c.doneBytes}
	case workload.Fence:
		at.Waiting = true
	case workload.Transfer:
		at.Progress = func() uint64 { return bytesOfMoves(s.session, &step.Batch) }
	}
	return at
}

// bytesOfMoves returns the number of bytes that the transfers of a batch have moved so far.
func bytesOfMoves(s engine.Session, b *workload.Batch) (bytes uint64) {
	for move := range b.Moves() {
		bytes += s.Progress(move).Bytes
	}
	return bytes
}

// runStep runs a step. If only process 0 opens the file, the others do nothing.
func (c *caseRun) runStep(s *ioRole, step *workload.Step, m *measurement) error {
	if c.Stop.IsSet() {
		return engine.ErrStopped
	}
	switch {
	case step.Class == workload.Compute:
		m.plannedCompute += step.Duration
		return c.sleepToCompute(step.Duration)
	case step.Class == workload.Fence:
		return c.passFence(step)
	case s.program.Files[step.File].Group == workload.Root && s.rank != 0:
		return nil
	}
	if step.IsReadBack(c.op) && s.env.Latency != nil { // the latencies are those of writes
		ofWrites := *s.env.Latency
		defer func() { *s.env.Latency = ofWrites }()
	}
	if err := s.session.Do(&step.Batch); err != nil {
		return err
	}
	if step.Class != workload.Transfer {
		m.traffic.steps++
		c.countObjects(s, step, m)
	} else {
		bytes := transferBytes(&s.program, &step.Batch)
		c.doneBytes += bytes
		if step.IsReadBack(c.op) {
			m.readBackBytes += bytes
		} else {
			m.bytes += bytes
		}
	}
	return nil
}

// countObjects counts the objects that a step was for. A step that does nothing with the API is for none.
func (c *caseRun) countObjects(s *ioRole, step *workload.Step, m *measurement) {
	api, f := result.APIOf(c.plan.API), &s.program.Files[step.File]
	if !api.Datasets && (!api.ObjectFiles || !f.ObjectFiles) {
		return
	}
	n := s.program.NumObjects(step)
	if f.Group != workload.All || s.rank == 0 {
		m.objects[step.Class] += n
	}
	work := n * plan.ObjectBytes
	if f.Group == workload.All { // all processes do it together
		work /= uint64(c.work.Size())
	}
	c.doneBytes += work
	if c.op != workload.Write {
		return
	}
	switch in := &c.objectsInFiles[step.File]; step.Class {
	case workload.FileOpen:
		if !step.Existing {
			*in = numObjects{}
		}
	case workload.Create, workload.CreateLink, workload.Attribute:
		in.left += n
	case workload.Unlink:
		in.left -= n
		in.unlinked += n
	}
}

// numObjects counts the objects that a process created in a file: those that it did not unlink, and those that it did.
type numObjects struct{ left, unlinked uint64 }

// objectsByFile returns the numbers of objects that this process created in each file. Several families of files with
// one name are one file.
func (c *caseRun) objectsByFile() map[string]numObjects {
	all := map[string]numObjects{}
	for i, n := range c.objectsInFiles {
		name := c.roles[workload.Write].program.Files[i].Name
		all[name] = numObjects{all[name].left + n.left, all[name].unlinked + n.unlinked}
	}
	return all
}

// passFence does a step that synchronises processes: it waits until all processes of the case have come, waits for this
// process's turn, or signals the next process that it is its turn.
func (c *caseRun) passFence(step *workload.Step) error {
	switch {
	case step.Turn == workload.NoTurn: // a process that failed joins in the agreement at the end of its epoch
		if f := c.agreeOnError(phaseOfClass[workload.Fence], nil); f != nil {
			return agreedFailure{f}
		}
	case step.NeighbourRank == workload.NoRank:
	case step.Turn == workload.PassTurn:
		c.work.Signal(c.rankHandlingPart(step.NeighbourRank), codeGood)
	default:
		code, came := c.work.AwaitSignal(c.rankHandlingPart(step.NeighbourRank), c.Stop.IsSet)
		switch {
		case !came:
			return engine.ErrStopped
		case code != codeGood:
			return errNoTurn
		}
	}
	return nil
}

// agreedFailure is the error of a process that learns at a fence that another process has failed or has received a
// signal to stop.
type agreedFailure struct{ *failure }

func (agreedFailure) Error() string { return "another process has failed" }

// errNoTurn is the error of a process that gets no turn, because a process before it has failed.
var errNoTurn = errors.New("a process before this one has failed")

// cancelTurns tells the processes that wait for a turn from this process, in the rest of an epoch, that they get none.
// So they need not wait, and go on to the agreement at the end of the epoch.
func (c *caseRun) cancelTurns(rest []workload.Step) {
	for i := range rest {
		if s := &rest[i]; s.Turn == workload.PassTurn && s.NeighbourRank != workload.NoRank {
			c.work.Signal(c.rankHandlingPart(s.NeighbourRank), codeFailed)
		}
	}
}

// rankHandlingPart returns the rank of the process that, in the current operation, writes or reads the part of the
// files that the given rank has written.
func (c *caseRun) rankHandlingPart(rank int) int {
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

// maxSleep is the longest sleep of a process that computes, before it checks whether it should stop.
const maxSleep = 50 * time.Millisecond

// sleepToCompute sleeps for the time that an application would spend in computing.
func (c *caseRun) sleepToCompute(duration time.Duration) error {
	for end := c.Clock() + duration; ; {
		rest := end - c.Clock()
		if rest <= 0 {
			return nil
		}
		if c.Stop.IsSet() {
			return engine.ErrStopped
		}
		c.enterPhase(result.PhaseCompute) // restarts the timeout of the watchdog: a long computation is no hang
		c.Sleep(min(rest, maxSleep))
	}
}
