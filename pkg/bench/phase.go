package bench

import (
	"slices"
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// measurement holds the clocks of one operation of an iteration.
type measurement struct {
	started, ended time.Time
	own            [numClasses]time.Duration // of this process
	epochs         []epoch                   // whose windows are not found yet
	window         [numClasses]time.Duration // the same on all processes
	count          [numClasses]int           // number of epochs in window
	steps          classSet                  // of this process in the mixed epoch at work
	inMixed        classSet                  // of the steps of this process in epochs that had steps of several classes
	// Windows of mixed epochs in which all steps of all processes were of one class; the same on all processes.
	single  [workload.Classes]time.Duration
	limited bool          // epochs are those until a time limit
	bytes   uint64        // moved by this process
	planned time.Duration // that this process was to compute
	made    time.Duration // part of own file open: files were made before libraries opened them
	dumps   int           // of a workload: dumps that were done
	buckets []dumpBucket  // of the dumps of a workload, if there are several
	bucket  *dumpBucket   // that of the dump at work; nil: no dump, or the only one
	limit   limitState
	cache   nodeResidency
}

// datasetClasses are the classes of steps that are of datasets alone.
var datasetClasses = []workload.Class{workload.Create, workload.Open, workload.ObjectClose}

// phaseOfClass is the phase of the batches of a class, as errors name it.
var phaseOfClass = map[workload.Class]result.Phase{
	workload.FileOpen: result.PhaseOpen, workload.Create: result.PhaseDataset, workload.Open: result.PhaseDataset,
	workload.Transfer: result.PhaseTransfer, workload.ObjectClose: result.PhaseDatasetClose,
	workload.Sync: result.PhaseSync, workload.FileClose: result.PhaseClose,
	workload.Attribute: result.PhaseAttribute, workload.Select: result.PhaseSelect,
	workload.Extend: result.PhaseExtend, workload.Unlink: result.PhaseUnlink,
	workload.Compute: result.PhaseCompute, workload.Fence: result.PhaseFence,
}

// runOperation does the part of the program in a direction, in sections: what comes before the dumps, each dump, and
// what comes after them.
func (c *caseRun) runOperation(op workload.Op, m *measurement) *failure {
	c.op, c.moved = op, 0
	if m.started.IsZero() {
		m.started = c.Now()
	}
	role := c.roles[op]
	part := &role.program.Parts[op]
	f := c.runSection(role, part.Begin, m)
	for i := 0; f == nil && i < len(part.Dumps) && !c.endsAfterDumps(i, m); i++ {
		f = c.runDump(role, part, i, m)
	}
	if f == nil {
		f = c.runSection(role, part.End, m)
	}
	if f != nil {
		c.enterPhase(result.PhaseClose)
		role.session.Abandon()
		return f
	}
	m.ended = c.Now()
	c.keepLatency(op)
	return nil
}

// runSection does epochs, and before them what no clock has to do with.
func (c *caseRun) runSection(role *role, epochs []workload.Epoch, m *measurement) *failure {
	if len(epochs) == 0 {
		return nil
	}
	if c.op == workload.Write || c.plan.Parameters.Verify {
		if f := c.agreeOnError(result.PhasePrepare, c.prepareMemory(role, epochs)); f != nil {
			return f
		}
	}
	if c.op == workload.Write {
		c.enterPhase(result.PhaseOpen)
		began := c.Now()
		if f := c.agreeAfterCalls(began, result.PhaseOpen, c.makeSectionFiles(role, epochs, m)); f != nil {
			return f
		}
	}
	for i := range epochs {
		if f := c.runEpoch(role, epochs[i].Steps, m); f != nil {
			return f
		}
	}
	return c.compareReads(role, epochs)
}

// prepareMemory makes the data that epochs write, or overwrites the memory of what they read.
func (c *caseRun) prepareMemory(role *role, epochs []workload.Epoch) error {
	c.enterPhase(result.PhasePrepare)
	if c.op == workload.Write {
		return role.data.fillMemory(epochs)
	}
	return role.data.poisonMemory(epochs)
}

// runEpoch does an epoch of the program. A process may have no steps in it. A step of a plain file about datasets,
// which such a file does not have, is no epoch, for that would have a window all the same.
func (c *caseRun) runEpoch(role *role, steps []workload.Step, m *measurement) *failure {
	if len(steps) == 0 {
		return c.timeEpoch(c.activityIn(result.PhaseTransfer), mixedClass, m, func() error { return nil })
	}
	first := &steps[0]
	if first.Class == workload.Transfer && !first.Whole {
		return c.transferBatch(role, &first.Batch, m)
	}
	at := c.beginStep(role, first)
	class := mixedClass
	if role.program.Uniform {
		class = first.Class
	} else {
		m.steps = classesOfSteps(steps)
		defer func() { m.steps = 0 }()
	}
	if slices.Contains(datasetClasses, class) && !result.APIOf(c.plan.API).Datasets {
		return c.agreeOnError(at.Phase, c.runStep(role, first, m))
	}
	return c.timeEpoch(at, class, m, func() error { return c.runSteps(role, steps, class, m) })
}

// syncsEach reports whether the conditions ask to make data durable after each transfer.
func (c *caseRun) syncsEach() bool {
	return c.op == workload.Write && c.conditions().Sync == option.SyncEach
}
