package run

import (
	"math"
	"time"

	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// workEstimate counts the work that a run has done, and estimates how long the rest takes.
type workEstimate struct {
	tasks       []*caseProgress
	firstTasks  []int         // index of the first task of each arm
	current     *caseProgress // current case; nil before the first visit
	sampleStart time.Time     // when the current sample began
	latest      latestByteTimes
	liveRate    float64 // bytes per second of all processes, 0 if none moves data; now, or for a workload the mean
	inOrder     bool
}

type caseProgress struct {
	plan.Case
	arm        string
	ops        []workload.Op
	bytes      [2]uint64  // work of an iteration, by workload.Op: see plan.Case.OperationBytes
	totalTime  [2]timeSum // time of the samples, including everything around them, by workload.Op
	accessTime [2]timeSum // time of data access, by workload.Op
	rate       float64    // throughput of the latest sample
	ended      bool
	// mixed is set if the case does other things between its transfers, such as the steps of an application. The bytes
	// moved so far then do not show its transfer rate.
	mixed bool
}

// timeSum counts times, and sums them up in seconds.
type timeSum struct {
	n       int
	seconds float64
}

func (s *timeSum) addSeconds(seconds float64) { s.n, s.seconds = s.n+1, s.seconds+seconds }

func (s timeSum) meanSeconds() float64 { return s.seconds / float64(s.n) }

// latestByteTimes holds, for each kind of sample, the time per byte, in seconds, of the latest sample.
type latestByteTimes map[sampleKind]float64

// sampleKind is a kind of sample: samples of an arm, an API and an operation. An empty field means all arms, all APIs
// or all operations.
type sampleKind struct {
	arm       string
	api       string
	operation result.Operation
}

// sampleKinds returns the kinds to which samples of an operation of the case belong, the most specific kind first.
func (t *caseProgress) sampleKinds(op workload.Op) []sampleKind {
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

// newWorkEstimate returns the estimate for a run that has not begun.
func newWorkEstimate(r ProgressSetup) *workEstimate {
	w := &workEstimate{latest: latestByteTimes{}, inOrder: r.InOrder}
	for _, a := range r.Arms {
		w.firstTasks = append(w.firstTasks, len(w.tasks))
		for c := range a.Plan.Cases() {
			t := &caseProgress{
				Case: c, arm: a.Name, ops: a.Plan.Operations(), mixed: !c.HasRegularTransfers(),
				bytes: [2]uint64{c.OperationBytes(workload.Write), c.OperationBytes(workload.Read)},
			}
			w.tasks = append(w.tasks, t)
		}
	}
	return w
}

// visitCase begins or resumes a case of an arm.
func (w *workEstimate) visitCase(arm, i int, now time.Time) {
	w.current, w.sampleStart = w.tasks[w.firstTasks[arm]+i], now
}

func (w *workEstimate) addSample(s result.Sample, now time.Time) {
	t := w.current
	for _, op := range t.ops {
		if plan.OperationOf(op) != s.Operation {
			continue
		}
		spent := now.Sub(w.sampleStart).Seconds()
		t.totalTime[op].addSeconds(spent)
		t.accessTime[op].addSeconds(s.Seconds())
		for _, k := range t.sampleKinds(op) {
			w.latest[k] = spent / float64(t.bytes[op])
		}
	}
	t.rate, w.sampleStart = s.Throughput(), now
}

// endCase marks a case of an arm as ended.
func (w *workEstimate) endCase(arm, i int) { w.tasks[w.firstTasks[arm]+i].ended = true }

// currentRate returns the bytes per second of the current case: of its current transfer, or else of its latest sample.
// It returns 0 if the rate is not known.
func (w *workEstimate) currentRate() float64 {
	if w.liveRate > 0 && !w.current.mixed {
		return w.liveRate
	}
	return w.current.rate
}

// numMovingRanks returns how many processes move data in the current case.
func (w *workEstimate) numMovingRanks() float64 {
	if w.current == nil {
		return 0
	}
	return float64(w.current.Processes)
}

// operationStart returns the time from which the current rate is to be computed. In a workload, this is the start of
// the operation, since it moves data in many steps, with other steps in between. For a sweep it returns the zero time:
// there, the rate of the current transfer is enough.
func (w *workEstimate) operationStart() time.Time {
	if w.current == nil || !w.current.mixed {
		return time.Time{}
	}
	return w.sampleStart
}

// currentOperation returns the operation that the current case does now.
func (w *workEstimate) currentOperation() workload.Op {
	ops := w.current.ops
	for _, op := range ops {
		if w.current.totalTime[op].n < w.current.totalTime[ops[0]].n {
			return op
		}
	}
	return ops[0]
}

// operationSeconds returns how long an operation of a case takes, in seconds. This is the mean time of the samples of
// the case. If there are none, the time is computed from the bytes, with the current rate or the rate of the most
// similar sample. NaN means unknown.
func (w *workEstimate) operationSeconds(t *caseProgress, op workload.Op) float64 {
	if s := t.totalTime[op]; s.n > 0 {
		return s.meanSeconds()
	}
	if w.liveRate > 0 && t == w.current && op == w.currentOperation() {
		return float64(t.bytes[op]) / w.liveRate
	}
	for _, k := range t.sampleKinds(op) {
		if c, known := w.latest[k]; known {
			return c * float64(t.bytes[op])
		}
	}
	if w.liveRate > 0 {
		return float64(t.bytes[op]) / w.liveRate
	}
	return math.NaN()
}

// minMaxIterations returns the lowest and the highest possible number of iterations of a case, as far as is known now.
func (w *workEstimate) minMaxIterations(t *caseProgress) (least, most int) {
	var works []plan.Work
	for _, op := range t.ops {
		seconds := w.operationSeconds(t, op)
		if s := t.accessTime[op]; s.n > 0 {
			seconds = s.meanSeconds()
		}
		works = append(works, plan.Work{Seconds: seconds})
	}
	return t.Iterations(works)
}

// numIterationsDone returns how many iterations of the case have ended.
func (t *caseProgress) numIterationsDone() int { return t.totalTime[t.ops[len(t.ops)-1]].n }

// remainingTime describes the iterations and the time that remain until the end of a run.
type remainingTime struct {
	seconds              float64 // NaN is unknown
	isUpperLimit         bool    // seconds is an upper limit
	done, all            int     // iterations of all cases
	caseNumber, numCases int     // number of the current case, from 1, and number of cases
}

func (w *workEstimate) estimateRemaining(now time.Time) remainingTime {
	var r remainingTime
	for i, t := range w.tasks {
		if t == w.current {
			r.caseNumber = i + 1
		}
		r.done += t.numIterationsDone()
		if t.ended {
			r.all += t.numIterationsDone()
			continue
		}
		least, most := w.minMaxIterations(t)
		most = max(most, t.numIterationsDone())
		r.all += most
		r.isUpperLimit = r.isUpperLimit || least < most && t.numIterationsDone() < most
		for _, op := range t.ops {
			left := most - t.totalTime[op].n
			if left <= 0 {
				continue
			}
			cost := w.operationSeconds(t, op)
			r.seconds += float64(left) * cost
			if t == w.current && op == w.currentOperation() {
				spent := now.Sub(w.sampleStart).Seconds()
				if part := w.liveRate * spent / float64(t.bytes[op]); t.mixed && part > 0 { // may be slower than before
					spent = min(spent, cost*part)
				}
				r.seconds -= min(cost, spent)
			}
		}
	}
	r.numCases = len(w.tasks)
	return r
}
