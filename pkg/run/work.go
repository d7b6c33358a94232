package run

import (
	"math"
	"time"

	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// workEstimate counts what a run has done, and estimates how long the rest takes.
type workEstimate struct {
	tasks   []*caseTask
	first   []int     // index of the first task of each arm
	at      *caseTask // nil before the first visit
	since   time.Time // when the sample at work began
	latest  latestCosts
	live    float64 // bytes per second that all processes move now, 0 while none do; of a workload, have moved
	inOrder bool
}

// caseTask is a case of an arm.
type caseTask struct {
	plan.Case
	arm    result.Arm
	ops    []workload.Op
	amount [2]uint64  // bytes of an iteration, by workload.Op; at least 1
	spent  [2]timeSum // time of the samples and of all that comes with them, by workload.Op
	access [2]timeSum // time of accessing data, by workload.Op
	rate   float64    // of the latest sample
	ended  bool
	// It does other things between its transfers, so what it has moved by now does not tell how fast it moves: the
	// steps of an application are such.
	mixed bool
}

// timeSum is a number of times, with their sum in seconds.
type timeSum struct {
	n       int
	seconds float64
}

func (s *timeSum) addSeconds(seconds float64) { s.n, s.seconds = s.n+1, s.seconds+seconds }

func (s timeSum) meanSeconds() float64 { return s.seconds / float64(s.n) }

// latestCosts holds the latest time that a byte took, in seconds.
type latestCosts map[sampleKind]float64

// sampleKind is a kind of samples. A field that is "" stands for all.
type sampleKind struct {
	arm       result.Arm
	api       string
	operation result.Operation
}

// sampleKinds returns the kinds that a sample belongs to, the closest first.
func (t *caseTask) sampleKinds(op workload.Op) []sampleKind {
	operation := plan.OperationOf(op)
	return []sampleKind{
		{t.arm, t.API, operation},
		{"", t.API, operation},
		{t.arm, "", operation},
		{"", "", operation},
		{t.arm, t.API, ""},
		{},
	}
}

// newWorkEstimate returns the work of a run.
func newWorkEstimate(r Progress) *workEstimate {
	w := &workEstimate{latest: latestCosts{}, inOrder: r.InOrder}
	for _, a := range r.Arms {
		w.first = append(w.first, len(w.tasks))
		for c := range a.Plan.Cases() {
			t := &caseTask{
				Case: c, arm: a.Name, ops: a.Plan.Operations(), amount: bytesPerIteration(c),
				mixed: !c.IsRegular(),
			}
			w.tasks = append(w.tasks, t)
		}
	}
	return w
}

// bytesPerIteration returns the bytes of an iteration of a case, by workload.Op, or 1 where there are none.
func bytesPerIteration(c plan.Case) [2]uint64 {
	one, _ := c.Iteration() // an error was found before
	return [2]uint64{max(1, one.Bytes[workload.Write]), max(1, one.Bytes[workload.Read])}
}

// visitCase begins, or takes up again, a case of an arm.
func (w *workEstimate) visitCase(arm, i int, now time.Time) {
	w.at, w.since = w.tasks[w.first[arm]+i], now
}

// addSample adds a sample of the case at work.
func (w *workEstimate) addSample(s result.Sample, now time.Time) {
	t := w.at
	for _, op := range t.ops {
		if plan.OperationOf(op) != s.Operation {
			continue
		}
		spent := now.Sub(w.since).Seconds()
		t.spent[op].addSeconds(spent)
		t.access[op].addSeconds(s.Seconds())
		for _, k := range t.sampleKinds(op) {
			w.latest[k] = spent / float64(t.amount[op])
		}
	}
	t.rate, w.since = s.Throughput(), now
}

// endCase ends a case of an arm.
func (w *workEstimate) endCase(arm, i int) { w.tasks[w.first[arm]+i].ended = true }

// currentRate returns how many bytes per second the case at work moves: now, or else in its latest sample. It is 0
// where that is not known.
func (w *workEstimate) currentRate() float64 {
	if w.live > 0 && !w.at.mixed {
		return w.live
	}
	return w.at.rate
}

// numMovingRanks returns how many processes move data in this part of a case.
func (w *workEstimate) numMovingRanks() float64 {
	if w.at == nil {
		return 0
	}
	return float64(w.at.Processes)
}

// dumpingSince returns when the operation of a workload began: it moves data in many steps, with others in between. The
// transfers of a sweep tell more of the rest by themselves, and it returns the zero time.
func (w *workEstimate) dumpingSince() time.Time {
	if w.at == nil || !w.at.mixed {
		return time.Time{}
	}
	return w.since
}

// currentOperation returns the operation at work.
func (w *workEstimate) currentOperation() workload.Op {
	ops := w.at.ops
	for _, op := range ops {
		if w.at.spent[op].n < w.at.spent[ops[0]].n {
			return op
		}
	}
	return ops[0]
}

// operationCost returns how long an operation of a case takes, in seconds. It is the mean of those that were measured,
// or else in proportion to bytes: to those that are moved now, or to the latest that are most like it. NaN is unknown.
func (w *workEstimate) operationCost(t *caseTask, op workload.Op) float64 {
	if s := t.spent[op]; s.n > 0 {
		return s.meanSeconds()
	}
	if w.live > 0 && t == w.at && op == w.currentOperation() {
		return float64(t.amount[op]) / w.live
	}
	for _, k := range t.sampleKinds(op) {
		if c, known := w.latest[k]; known {
			return c * float64(t.amount[op])
		}
	}
	if w.live > 0 {
		return float64(t.amount[op]) / w.live
	}
	return math.NaN()
}

// minMaxIterations returns how many iterations of a case there are at least and at most, as far as is known by now.
func (w *workEstimate) minMaxIterations(t *caseTask) (least, most int) {
	var works []plan.Work
	for _, op := range t.ops {
		seconds := w.operationCost(t, op)
		if s := t.access[op]; s.n > 0 {
			seconds = s.meanSeconds()
		}
		works = append(works, plan.Work{Seconds: seconds})
	}
	return t.Iterations(works)
}

// numDone returns how many iterations of a case have ended.
func (t *caseTask) numDone() int { return t.spent[t.ops[len(t.ops)-1]].n }

// remainingWork is how much of a run is left.
type remainingWork struct {
	seconds    float64 // NaN is unknown
	most       bool    // it may be less
	done, all  int     // iterations of all cases
	number, of int     // of the case at work, from 1
}

// estimateRest returns how much is left.
func (w *workEstimate) estimateRest(now time.Time) remainingWork {
	var r remainingWork
	for i, t := range w.tasks {
		if t == w.at {
			r.number = i + 1
		}
		r.done += t.numDone()
		if t.ended {
			r.all += t.numDone()
			continue
		}
		least, most := w.minMaxIterations(t)
		most = max(most, t.numDone())
		r.all += most
		r.most = r.most || least < most && t.numDone() < most
		for _, op := range t.ops {
			left := most - t.spent[op].n
			if left <= 0 {
				continue
			}
			cost := w.operationCost(t, op)
			r.seconds += float64(left) * cost
			if t == w.at && op == w.currentOperation() {
				r.seconds -= min(cost, now.Sub(w.since).Seconds())
			}
		}
	}
	r.of = len(w.tasks)
	return r
}
