package bench

import (
	"errors"
	"math/bits"
	"slices"
	"time"

	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// Classes of epochs beside those of batches. Alternating is transfers and syncs in turn, each process at its own pace;
// mixed is steps of a workload, of any classes.
const (
	alternatingClass workload.Class = workload.Classes + iota
	mixedClass
	numClasses
)

// classSet is a set of classes: bit n is that of class n.
type classSet uint32

// classesOfSteps returns the classes of steps.
func classesOfSteps(steps []workload.Step) (s classSet) {
	for i := range steps {
		s |= 1 << steps[i].Class
	}
	return s
}

func (s classSet) hasClass(class workload.Class) bool { return s>>class&1 > 0 }

// lowestAndHighest returns the least and the highest class of a set of one class. An empty set does not count among
// those of other processes: its least one is above all classes, its highest one below. A set of several classes has
// ends that are unlike all others.
func (s classSet) lowestAndHighest() (least, highest workload.Class) {
	switch bits.OnesCount32(uint32(s)) {
	case 0:
		return numClasses, -1
	case 1:
		class := workload.Class(bits.TrailingZeros32(uint32(s)))
		return class, class
	}
	return -1, numClasses
}

// epoch holds the own start and end of this process in an epoch.
type epoch struct {
	start, end time.Duration // on the clock that the processes of the node share, since the origin of the group
	class      workload.Class
	limited    bool // it is one of those until a time limit
	// One process does it, and nobody waits at a barrier before it. On the others it ends before it starts, as far
	// apart as can be: so they count for nothing in a window.
	alone  bool
	steps  classSet    // of this process, if the class is mixed
	bucket *dumpBucket // whose window has that of the epoch; nil: none
}

// phaseError is an error in another phase than that of its epoch.
type phaseError struct {
	phase result.Phase
	error
}

// maxEpochs is the number of epochs that are kept until their windows are found.
const maxEpochs = 256

// timeEpoch does a part of an iteration as an epoch: it begins when all processes have come, and ends before they agree
// that nothing has failed. Collective over the processes of the case.
func (c *caseRun) timeEpoch(at Activity, class workload.Class, m *measurement, do func() error) *failure {
	if len(m.epochs) >= maxEpochs {
		c.findWindows(m)
	}
	c.waitAtBarrier(at.Phase)
	c.reportActivity(at)
	began := c.Now()
	start := c.Clock()
	err := do()
	end := c.Clock()
	m.own[class] += end - start
	if e, ok := errors.AsType[phaseError](err); ok {
		at.Phase, err = e.phase, e.error
	}
	m.epochs = append(m.epochs, epoch{
		start: start - c.origin, end: end - c.origin, class: class, limited: m.limited, steps: m.steps,
		bucket: m.bucket,
	})
	if a, is := errors.AsType[agreedFailure](err); is {
		return a.failure
	}
	if class == workload.Transfer || class == alternatingClass || class == mixedClass { // as long as there are data
		return c.agreeOnError(at.Phase, err)
	}
	return c.agreeAfterCalls(began, at.Phase, err)
}

// findWindows finds the windows of the epochs since the last call, and adds them up by class. Collective over the
// processes of the case.
func (c *caseRun) findWindows(m *measurement) {
	n := len(m.epochs)
	times := make([]float64, 0, 2*n) // nanoseconds, of which a float64 holds 100 days exactly
	for _, e := range m.epochs {
		times = append(times, float64(e.start), float64(e.end))
	}
	all, lengths := c.local.Reduce(times), make([]float64, n)
	for i := range lengths {
		lengths[i] = max(0, all[2*i+1].Max-all[2*i].Min) // it is negative where no process had any part in it
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
			m.single[alike[i]] += window
		} else {
			m.inMixed |= e.steps
		}
		if !e.alone {
			m.count[e.class]++
		}
		if e.limited {
			m.limit.window += window
		}
		if e.bucket != nil {
			e.bucket.window += window
		}
	}
	m.epochs = m.epochs[:0]
}

// commonClasses returns the class of each epoch in which all processes had steps of the same one, or mixed. It returns
// nil if none of the epochs is mixed. Collective over the processes of the case.
func (c *caseRun) commonClasses(m *measurement) []workload.Class {
	if !slices.ContainsFunc(m.epochs, func(e epoch) bool { return e.class == mixedClass }) { // on no process
		return nil
	}
	ends := make([]float64, 0, 2*len(m.epochs))
	for _, e := range m.epochs {
		least, highest := e.steps.lowestAndHighest()
		ends = append(ends, float64(least), float64(highest))
	}
	all, alike := c.work.Reduce(ends), make([]workload.Class, len(m.epochs))
	for i := range alike {
		alike[i] = mixedClass
		if least := all[2*i].Min; least == all[2*i+1].Max {
			alike[i] = workload.Class(least)
		}
	}
	return alike
}

// sumWindows returns the sum of the windows of some classes, and the number of their epochs. Where transfers alternated
// with syncs there is no window of either, only of both.
func (m *measurement) sumWindows(of ...workload.Class) (window time.Duration, epochs int) {
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

// transferTime returns how long this process transferred.
func (m *measurement) transferTime() time.Duration {
	return m.own[workload.Transfer] + m.own[alternatingClass]
}

// skewRounds is the number of barriers by which their skew is measured.
const skewRounds = 9

// barrierSkew returns an upper bound of the time between the first process that leaves a barrier and the last one, in
// seconds: the median of several barriers. No clock is compared with that of another node. Nobody leaves a barrier
// before the last process has come, and the last one to leave has come by then, too. So it leaves after the first by no
// more time than it has spent in the barrier, which is little if all come at nearly the same time. Collective over the
// processes of the case.
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
