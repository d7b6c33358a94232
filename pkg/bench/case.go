package bench

import (
	"slices"
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// caseRun is the state of a case that is measured in one or more visits.
type caseRun struct {
	*runner
	*caseGroup
	arm   *Arm
	index int // index of the case in its plan
	plan  plan.Case
	out   result.Case // complete on rank 0; elsewhere only the state is valid

	timed plan.TimedClasses // each list also has mixedClass

	count       int  // iterations so far, including warm-up
	wantsMore   bool // the case needs more iterations
	criteria    stopCriteria
	latencySums latencies

	endBy            time.Time     // when this case should end; the zero time is never
	longestIteration time.Duration // longest iteration so far, on this process
	longestVisit     time.Duration // longest visit so far, on this process
	seconds          float64       // of writing and reading in the last iteration, on rank 0

	op        workload.Op
	iteration int // from 1; warm-up iterations are counted apart
	warmup    bool
	file      int // from 1
	path      string
	readsBack bool   // an operation that writes has read data, too
	doneBytes uint64 // work that steps of the operation did on this process: see Activity.Done

	skew             float64 // barrier skew before the iterations of this visit, in seconds
	pool             []byte
	roles            [2]*ioRole   // by workload.Op
	files            []dataFile   // files that the program opens
	transfersWritten []uint64     // with a time limit: transfers of each dataset of the file, on this process
	objectsInFiles   []numObjects // by file of the program, of this process
	dumpsWritten     int          // number of dumps that a workload wrote until the time limit; 0: all
	busyBefore       busyTime     // at the start of the iteration
	othersShare      float64      // of the processors, in this iteration; see measureOthers
	otherBytes       [2]uint64    // of other programs in this iteration, by workload.Op; see measureOthers
	closeTimer       *time.Timer  // runs since a failure: ends the job if its files cannot be closed in time
}

// newCaseRun returns a case of an arm, before its first visit.
func (r *runner) newCaseRun(arm *Arm, index int, p plan.Case) *caseRun {
	g := r.groups.addCase(p)
	sizes := p.CommonSizes()
	out := result.Case{
		Values: p.Values, SameAs: p.SameAs,
		Processes: p.Processes, Nodes: g.nodes, API: p.API, State: result.Running, TransferSize: sizes.Transfer,
		BufferBytes: sizes.Buffer, DatasetBytes: sizes.Dataset, Bytes: sizes.Total,
	}
	if r.isFirstRank() {
		out.Filtered = p.FilteredData()
	}
	timed := p.TimedClasses()
	for _, classes := range []*[]workload.StepClass{&timed.Access, &timed.OpenClose, &timed.Throughput} {
		*classes = append(*classes, mixedClass)
	}
	return &caseRun{runner: r, caseGroup: g, arm: arm, index: index, plan: p, timed: timed, wantsMore: true, out: out}
}

// conditions returns the conditions of the plan.
func (c *caseRun) conditions() *option.Conditions { return &c.plan.Parameters.Conditions }

// writesFiles reports whether iterations write files.
func (c *caseRun) writesFiles() bool { return c.conditions().ReadOnly == "" }

// readsFiles reports whether iterations read files.
func (c *caseRun) readsFiles() bool { return !c.plan.Parameters.WriteOnly }

// operations returns the operations of an iteration, in the order in which they run.
func (c *caseRun) operations() []workload.Op {
	return slices.DeleteFunc([]workload.Op{workload.Write, workload.Read}, func(op workload.Op) bool {
		return op == workload.Write && !c.writesFiles() || op == workload.Read && !c.readsFiles()
	})
}

// usesDirect reports whether files of a case are opened with O_DIRECT.
func usesDirect(c plan.Case) bool {
	return c.Parameters.Conditions.Direct && result.APIOf(c.API).Direct
}

// isRunning reports whether the case has not ended.
func (c *caseRun) isRunning() bool { return c.out.State == result.Running }

// runIterations prepares the case, runs iterations, and releases the resources of the case. It runs at least one and at
// most maxIterations iterations, and stops when the case needs no more.
func (c *caseRun) runIterations(maxIterations int) {
	c.enterPhase(result.PhasePrepare)
	f := c.prepareRoles()
	if f == nil {
		c.skew = c.barrierSkew()
		c.out.BarrierSkew = max(c.out.BarrierSkew, c.skew)
	}
	if f == nil && c.out.Effective == nil { // the first visit
		f = c.timeFilters()
	}
	for n := 0; f == nil && n < maxIterations && (n == 0 || c.wantsMore); n++ {
		f = c.runIteration()
	}
	c.iteration, c.file, c.path = 0, 0, ""
	if f == nil {
		c.addEngineReport()
	}
	c.enterPhase(result.PhaseRelease)
	after := c.agreeOnError(result.PhaseRelease, c.releaseRoles())
	if c.closeTimer != nil {
		c.closeTimer.Stop()
	}
	if f == nil {
		f = after
	}
	if f != nil {
		c.out.State, c.out.Error = stateOfCode(f.code), &f.error
	}
}

// completeCase ends a case that needs no more iterations: it sets its latencies and its state.
func (c *caseRun) completeCase() {
	if c.member {
		c.out.Latencies = c.reduceLatencies()
	}
	c.out.State = result.Complete
	c.out.Verified = c.plan.Parameters.Verify && (c.readsFiles() || c.readsBack)
	c.noteCaseEnd()
}

// noteCaseEnd passes the result of the case, which has ended, to the observer, and tells the case's group of processes
// that it has ended. Collective over the members of the group.
func (c *caseRun) noteCaseEnd() {
	if c.isFirstRank() {
		c.arm.Observer.EndCase(c.index, c.out)
	}
	c.noteGroupCaseEnd()
}

// runIteration runs one iteration: it writes, reads and removes one file after another, and then makes the samples.
func (c *caseRun) runIteration() *failure {
	c.count++
	began := c.Now()
	c.seconds = 0
	warmup := option.ValueOrZero(c.conditions().Warmup)
	if c.warmup, c.iteration = c.count <= warmup, c.count; !c.warmup {
		c.iteration -= warmup
	}
	if f := c.pauseForThinkTime(); f != nil {
		return f
	}
	var clocks [2]measurement
	c.busyBefore = c.readBusyTime(c.leader)
	for c.file = 1; c.file <= c.plan.Parameters.Files; c.file++ {
		if f := c.runProgram(&clocks); f != nil {
			return f
		}
	}
	var span time.Duration // the same on all processes
	for _, op := range c.operations() {
		c.findWindows(&clocks[op])
		for _, window := range clocks[op].window {
			span += window
		}
	}
	c.measureOthers(&clocks, span)
	for _, op := range c.operations() {
		if f := c.makeSample(op, &clocks[op]); f != nil {
			return f
		}
	}
	c.longestIteration = max(c.longestIteration, c.Now().Sub(began))
	c.decideMoreIterations()
	return nil
}

// pauseForThinkTime pauses before an iteration, outside of all clocks.
func (c *caseRun) pauseForThinkTime() *failure {
	seconds := option.ValueOrZero(c.conditions().Think)
	if seconds == 0 {
		return nil
	}
	c.enterPhase(result.PhaseCompute)
	return c.agreeOnError(result.PhaseCompute, c.sleepToCompute(time.Duration(seconds*float64(time.Second))))
}

// runProgram runs the program once: it writes, checks, reads and removes its files.
func (c *caseRun) runProgram(clocks *[2]measurement) *failure {
	collectGarbage()
	c.files, c.dumpsWritten, c.objectsInFiles = nil, 0, nil
	if c.writesFiles() {
		c.objectsInFiles = make([]numObjects, len(c.roles[workload.Write].program.Files))
	}
	for _, s := range c.distinctRoles() {
		s.data.beginFile(c.count, c.file)
	}
	first := c.operations()[0]
	c.files = c.filesOpenedBy(c.roles[first], first)
	c.path = c.dataDirPath()
	if len(c.files) > 0 { // a process may open no file
		c.path = c.files[0].path
	}
	if c.isFirstRank() {
		c.arm.Observer.BeginFile(c.index, c.path)
	}
	var f *failure
	if c.writesFiles() {
		f = c.runOperation(workload.Write, &clocks[workload.Write])
	}
	if f == nil {
		c.enterPhase(result.PhaseCheck)
		err := c.checkDirectory()
		if err == nil {
			err = c.checkSizes()
		}
		f = c.agreeOnError(result.PhaseCheck, err)
	}
	if f == nil && c.readsFiles() {
		f = c.readFilesBack(&clocks[workload.Read])
	}
	return c.removeAfterUse(f)
}

// readFilesBack reads the data files. It first drops them from the page cache if the conditions ask for that.
func (c *caseRun) readFilesBack(m *measurement) *failure {
	if f := c.preparePageCache(m); f != nil {
		return f
	}
	return c.runOperation(workload.Read, m)
}

// removeAfterUse removes files after their last use, unless they are to be kept. f is the failure of an earlier phase
// of the iteration, or nil. After a failure, each process removes the files that no other process opens, then rank 0
// removes all data files in the directory. removeAfterUse then ignores errors, and returns f.
func (c *caseRun) removeAfterUse(f *failure) *failure {
	c.enterPhase(result.PhaseRemove)
	if f != nil {
		if !c.plan.Parameters.KeepFiles && c.writesFiles() {
			c.removeAllFiles() // the end of the run tries again, and reports errors
		}
		return f
	}
	return c.agreeOnError(result.PhaseRemove, c.removeFiles())
}
