package bench

import (
	"errors"
	"math/bits"
	"slices"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// Classes of epochs besides those of batches. In an alternating epoch each process does transfers and syncs in turn, at
// its own pace. In a mixed epoch the steps of a workload may have any classes.
const (
	alternatingClass workload.StepClass = workload.NumClasses + iota
	mixedClass
	numClasses
)

// classSet is a set of classes: bit n stands for class n.
type classSet uint32

// classesOfSteps returns the timed classes of steps of a part.
func classesOfSteps(steps []workload.Step, part workload.Op) (s classSet) {
	for i := range steps {
		s |= 1 << steps[i].TimedClass(part)
	}
	return s
}

func (s classSet) hasClass(class workload.StepClass) bool { return s>>class&1 > 0 }

// lowestAndHighest returns two values for a reduction that finds out whether the sets of all processes have the same
// single class: then the minimum of the first value equals the maximum of the second. For a set of one class, both
// values are the class. For an empty set, they do not affect minimum and maximum. For several classes, they lie below
// and above all classes, so that minimum and maximum differ.
func (s classSet) lowestAndHighest() (least, highest workload.StepClass) {
	switch bits.OnesCount32(uint32(s)) {
	case 0:
		return numClasses, -1
	case 1:
		class := workload.StepClass(bits.TrailingZeros32(uint32(s)))
		return class, class
	}
	return -1, numClasses
}

// epoch holds when this process began and ended an epoch, a part of the program that all processes begin together.
type epoch struct {
	start, end  time.Duration // on the clock that the processes of the node share, since the origin of the group
	class       workload.StepClass
	withinLimit bool // the epoch is before the end of a time limit
	// Only one process does the work, and no process waits at a barrier before it. On the other processes the end is
	// before the start, as far apart as possible: so they do not affect the window.
	onOneProcess bool
	steps        classSet    // classes of the steps of this process, if the class is mixed
	bucket       *dumpBucket // the window of the epoch is added to its window; nil: to none
}

// phaseError is an error in a phase other than the phase of its epoch.
type phaseError struct {
	phase result.Phase
	error
}

// maxEpochs is the largest number of epochs that are kept until their windows are computed.
const maxEpochs = 256

// timeEpoch calls the function do, and measures its time as an epoch. The epoch begins when all processes have arrived,
// and ends before they agree that nothing has failed. Collective over the processes of the case.
func (c *caseRun) timeEpoch(at Activity, class workload.StepClass, m *measurement, do func() error) *failure {
	if len(m.epochs) >= maxEpochs {
		c.findWindows(m)
	}
	c.waitAtBarrier(at.Phase)
	c.reportActivity(at)
	began := c.Now()
	start := c.Clock()
	err := do()
	end := c.Clock()
	m.ownTimes[class] += end - start
	if e, ok := errors.AsType[phaseError](err); ok {
		at.Phase, err = e.phase, e.error
	}
	m.epochs = append(m.epochs, epoch{
		start: start - c.origin, end: end - c.origin, class: class, withinLimit: m.beforeLimit, steps: m.steps,
		bucket: m.bucket,
	})
	if a, is := errors.AsType[agreedFailure](err); is {
		return a.failure
	}
	if class == workload.Transfer || class == alternatingClass || class == mixedClass { // lasts longer with more data
		return c.agreeOnError(at.Phase, err)
	}
	return c.agreeAfterCalls(began, at.Phase, err)
}

// findWindows computes the windows of the epochs since its last call, and adds them up by class. The window of an epoch
// is the time from the first start to the last end on any process. Collective over the processes of the case.
func (c *caseRun) findWindows(m *measurement) {
	n := len(m.epochs)
	times := make([]float64, 0, 2*n) // nanoseconds; a float64 is exact up to 100 days
	for _, e := range m.epochs {
		times = append(times, float64(e.start), float64(e.end))
	}
	all, lengths := c.local.Reduce(times), make([]float64, n)
	for i := range lengths {
		lengths[i] = max(0, all[2*i+1].Max-all[2*i].Min) // negative if no process took part
	}
	if c.numClocks > 1 {
		for i, all := range c.work.Reduce(lengths) {
			lengths[i] = all.Max
		}
	}
	alike := c.commonClasses(m)
	for i, e := range m.epochs {
		window := time.Duration(lengths[i])
		m.window[e.class] += window
		if e.class == mixedClass && alike[i] != mixedClass {
			m.unmixedWindow[alike[i]] += window
		} else {
			m.mixedClasses |= e.steps
		}
		if !e.onOneProcess {
			m.count[e.class]++
		}
		if e.withinLimit {
			m.limit.window += window
		}
		if e.bucket != nil {
			e.bucket.window += window
		}
	}
	m.epochs = m.epochs[:0]
}

// commonClasses returns, for each epoch, the class that all steps of all processes have, or mixedClass if they differ.
// It returns nil if none of the epochs is mixed. Collective over the processes of the case.
func (c *caseRun) commonClasses(m *measurement) []workload.StepClass {
	if !slices.ContainsFunc(m.epochs, func(e epoch) bool { return e.class == mixedClass }) { // no process has one
		return nil
	}
	ends := make([]float64, 0, 2*len(m.epochs))
	for _, e := range m.epochs {
		least, highest := e.steps.lowestAndHighest()
		ends = append(ends, float64(least), float64(highest))
	}
	all, alike := c.work.Reduce(ends), make([]workload.StepClass, len(m.epochs))
	for i := range alike {
		alike[i] = mixedClass
		if least := all[2*i].Min; least == all[2*i+1].Max {
			alike[i] = workload.StepClass(least)
		}
	}
	return alike
}

// sumWindows returns the sum of the windows of some classes, and the number of their epochs. The window of an epoch is
// the time from its first start to its last end on any process. If each transfer was followed by a sync in the same
// epoch, a window contains both: sumWindows then returns 0 for Transfer without Sync, and for Sync without Transfer.
func (m *measurement) sumWindows(of ...workload.StepClass) (window time.Duration, epochs int) {
	transfers, syncs := slices.Contains(of, workload.Transfer), slices.Contains(of, workload.Sync)
	switch {
	case m.count[alternatingClass] == 0:
	case transfers && syncs:
		of = append(slices.Clone(of), alternatingClass)
	case transfers || syncs:
		return 0, 0
	}
	for _, p := range of {
		window += m.window[p]
		epochs += m.count[p]
	}
	return window, epochs
}

// transferTime returns the time that this process spent in transfers.
func (m *measurement) transferTime() time.Duration {
	return m.ownTimes[workload.Transfer] + m.ownTimes[alternatingClass]
}

// skewRounds is the number of barriers that barrierSkew measures.
const skewRounds = 9

// barrierSkew returns an upper bound, in seconds, of the time between the first and the last process that leave a
// barrier: the median over several barriers. It works although the clocks of nodes differ: no process leaves a barrier
// before the last process has arrived, so the time that this last process spends in the barrier is an upper bound. The
// bound is small if all processes arrive almost at the same time. Collective over the processes of the case.
func (c *caseRun) barrierSkew() float64 {
	if c.numClocks == 1 {
		return 0
	}
	c.work.Barrier()
	spent := make([]float64, skewRounds)
	for i := range spent {
		start := c.Clock()
		c.work.Barrier()
		spent[i] = (c.Clock() - start).Seconds()
	}
	longest := make([]float64, skewRounds)
	for i, all := range c.work.Reduce(spent) {
		longest[i] = all.Max
	}
	slices.Sort(longest)
	return longest[skewRounds/2]
}
