package bench

import (
	"cmp"
	"slices"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// measurement holds the clocks and counts of one operation of an iteration.
type measurement struct {
	started, ended time.Time
	ownTimes       [numClasses]time.Duration // of this process
	epochs         []epoch                   // epochs whose windows are not computed yet
	window         [numClasses]time.Duration // the same on all processes
	count          [numClasses]int           // number of epochs in window
	steps          classSet                  // classes of the steps of this process in the current mixed epoch
	mixedClasses   classSet                  // classes of the steps of this process in epochs with several classes
	// Windows of mixed epochs in which all steps of all processes were of one class; the same on all processes.
	unmixedWindow [workload.NumClasses]time.Duration
	beforeLimit   bool   // new epochs are before the end of a time limit
	bytes         uint64 // moved by this process
	readBackBytes uint64 // read by this process in an operation that writes
	// Objects that steps were for, by class. Steps that all processes do together count on rank 0 of the program.
	objects        [workload.NumClasses]uint64
	plannedCompute time.Duration // time that this process should spend in computing
	creationTime   time.Duration // part of own[FileOpen]: creating files before libraries open them
	dumps          int           // of a workload: number of dumps that were done
	buckets        []dumpBucket  // times of the dumps of a workload, if there are several
	bucket         *dumpBucket   // bucket of the current dump; nil: no dump, or the only one
	limit          limitState
	calls          []result.FunctionCalls // of this process, of all functions that are counted
	cache          nodeResidency
	traffic        storageTraffic
}

// datasetClasses lists the classes of steps that concern only datasets.
var datasetClasses = []workload.StepClass{workload.Create, workload.Open, workload.ObjectClose}

// phaseOfClass maps the class of a batch to the phase that errors report.
var phaseOfClass = map[workload.StepClass]result.Phase{
	workload.FileOpen: result.PhaseOpen, workload.Create: result.PhaseDataset, workload.Open: result.PhaseDataset,
	workload.Transfer: result.PhaseTransfer, workload.ObjectClose: result.PhaseDatasetClose,
	workload.Sync: result.PhaseSync, workload.FileClose: result.PhaseClose,
	workload.Attribute: result.PhaseAttribute, workload.Select: result.PhaseSelect,
	workload.Extend: result.PhaseExtend, workload.Unlink: result.PhaseUnlink,
	workload.CreateLink: result.PhaseLink, workload.Stat: result.PhaseStat, workload.List: result.PhaseList,
	workload.Rename:  result.PhaseRename,
	workload.Compute: result.PhaseCompute, workload.Fence: result.PhaseFence,
}

// runOperation runs the part of the program that writes or reads, in sections: the steps before the dumps, each dump,
// and the steps after the dumps.
func (c *caseRun) runOperation(op workload.Op, m *measurement) *failure {
	c.op, c.doneBytes = op, 0
	if m.started.IsZero() {
		m.started = c.Now()
	}
	role, trafficBefore := c.roles[op], c.readTraffic()
	part := &role.program.Parts[op]
	c.startCounting()
	f := c.runSection(role, part.Begin, m)
	for i := 0; f == nil && i < len(part.Dumps) && !c.endsAfterDumps(i, m); i++ {
		f = c.runDump(role, part, i, m)
	}
	if f == nil {
		f = c.runSection(role, part.End, m)
	}
	c.stopCounting(m)
	if f != nil {
		c.enterPhase(result.PhaseClose)
		role.session.CloseAfterError()
		return f
	}
	m.ended = c.Now()
	c.addTraffic(trafficBefore, m)
	c.accumulateLatency(op)
	return nil
}

// runSection runs epochs. Outside of all clocks, it prepares memory before them and compares reads after them. It also
// creates the files of writes.
func (c *caseRun) runSection(role *ioRole, epochs []workload.Epoch, m *measurement) *failure {
	if len(epochs) == 0 {
		return nil
	}
	if c.op == workload.Write || c.plan.Parameters.Verify || convertsMemory(role) {
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

// prepareMemory fills the memory that epochs write from, or overwrites the memory that they read into.
func (c *caseRun) prepareMemory(role *ioRole, epochs []workload.Epoch) error {
	c.enterPhase(result.PhasePrepare)
	var err error
	switch {
	case c.op == workload.Write:
		err = role.data.fillMemory(epochs)
	case c.plan.Parameters.Verify:
		err = role.data.poisonMemory(epochs)
	}
	return cmp.Or(err, convertMemory(role, epochs, engine.MemoryConverter.FillMemory))
}

// convertsMemory reports whether the engine of a role has data in another form in memory. It is the same on all
// processes.
func convertsMemory(role *ioRole) bool {
	_, is := role.session.(engine.MemoryConverter)
	return is && role.sweepContent == nil
}

// convertMemory calls do for each batch of transfers of epochs, if the engine has data in another form in memory.
func convertMemory(
	role *ioRole, epochs []workload.Epoch, do func(engine.MemoryConverter, *workload.Batch) error,
) error {
	if !convertsMemory(role) {
		return nil
	}
	for _, e := range epochs {
		for i := range e.Steps {
			if b := &e.Steps[i].Batch; b.Class == workload.Transfer {
				if err := do(role.session.(engine.MemoryConverter), b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// runEpoch runs an epoch of the program, in which a process may have no steps. A plain file has no HDF5 datasets, so
// steps that open or close datasets do nothing there, and are not timed as epochs: even an epoch without work would
// take time.
func (c *caseRun) runEpoch(role *ioRole, steps []workload.Step, m *measurement) *failure {
	if len(steps) == 0 {
		return c.timeEpoch(c.activityIn(result.PhaseTransfer), mixedClass, m, func() error { return nil })
	}
	first := &steps[0]
	if first.Class == workload.Transfer && !first.BeginsAndEnds {
		return c.transferBatch(role, &first.Batch, m)
	}
	at := c.beginStep(role, first)
	class := mixedClass
	if role.program.Uniform {
		class = first.Class
	} else {
		m.steps = classesOfSteps(steps, c.op)
		defer func() { m.steps = 0 }()
	}
	if slices.Contains(datasetClasses, class) && !result.APIOf(c.plan.API).Datasets {
		return c.agreeOnError(at.Phase, c.runStep(role, first, m))
	}
	return c.timeEpoch(at, class, m, func() error { return c.runSteps(role, steps, class, m) })
}

// syncsEachTransfer reports whether the conditions ask for a sync after each transfer.
func (c *caseRun) syncsEachTransfer() bool {
	return c.op == workload.Write && c.conditions().Sync == option.SyncEach
}
