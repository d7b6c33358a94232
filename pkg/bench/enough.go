package bench

import (
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/workload"
)

// stopCriteria holds, on rank 0, the samples of a case that decide whether it needs more iterations.
type stopCriteria struct {
	rates         [2][]float64   // bytes per second, by workload.Op
	seconds       [2]float64     // sum over the samples, by workload.Op
	previousUnmet result.EndedBy // the criterion that was not met after the previous iteration: width or seconds
}

// addRate adds the throughput and the duration of a sample of an operation.
func (e *stopCriteria) addRate(op workload.Op, s result.Sample) {
	e.rates[op] = append(e.rates[op], s.Throughput())
	e.seconds[op] += s.Seconds()
}

// unmetCriterion returns the first criterion that is not met yet: width or seconds; "" if all are met. The criteria
// apply to each operation that has samples.
func (e *stopCriteria) unmetCriterion(c *option.Conditions) result.EndedBy {
	for op, rates := range e.rates {
		if len(rates) == 0 {
			continue
		}
		wanted := option.ValueOrZero(c.RepeatUntil)
		if wanted > 0 && stats.Median(rates, stats.Level).RelativeWidth() > wanted {
			return result.EndedByWidth
		}
		if e.seconds[op] < option.ValueOrZero(c.MinSeconds) {
			return result.EndedBySeconds
		}
	}
	return ""
}

// decideMoreIterations sets, after an iteration, whether the case needs more iterations and has the time for another.
// If that depends on the samples or on a deadline, rank 0 decides for all processes. Collective over the processes of
// the case.
func (c *caseRun) decideMoreIterations() {
	if c.warmup {
		c.endWarmupAtDeadline()
		return
	}
	conditions, least := c.conditions(), c.plan.Parameters.Iterations
	// NextRound knows when enough was measured.
	open := c.NextRound == nil &&
		(option.ValueOrZero(conditions.RepeatUntil) > 0 || option.ValueOrZero(conditions.MinSeconds) > 0)
	c.wantsMore = c.iteration < least
	if c.wantsMore && c.Deadline.IsZero() || !c.wantsMore && !open {
		return
	}
	if c.isFirstRank() {
		if !c.wantsMore {
			c.wantsMore, c.out.EndedBy = c.criteria.needsMoreIterations(conditions, c.iteration >= max(least,
				option.ValueOrZero(conditions.MaxIterations)))
		}
		if c.wantsMore && !c.hasTimeToIterate() {
			c.wantsMore, c.out.EndedBy = false, result.EndedByDeadline
		}
	}
	c.wantsMore = mpi.Broadcast(c.work, c.wantsMore, 0)
}

// endWarmupAtDeadline ends a case after a warm-up iteration if another iteration would end after the deadline.
// Collective over the processes of the case.
func (c *caseRun) endWarmupAtDeadline() {
	if c.Deadline.IsZero() {
		return
	}
	if c.isFirstRank() {
		c.wantsMore = !c.Now().Add(withMargin(c.longestIteration)).After(c.Deadline)
	}
	c.wantsMore = mpi.Broadcast(c.work, c.wantsMore, 0)
}

// needsMoreIterations reports whether a case needs more iterations, and returns the reason if it does not. capped means
// that the case has done the largest number of iterations that its options allow.
func (e *stopCriteria) needsMoreIterations(c *option.Conditions, capped bool) (more bool, endedBy result.EndedBy) {
	lacks := e.unmetCriterion(c)
	switch {
	case lacks == "" && e.previousUnmet != "":
		return false, e.previousUnmet
	case lacks == "" && option.ValueOrZero(c.RepeatUntil) > 0:
		return false, result.EndedByWidth
	case lacks == "":
		return false, result.EndedBySeconds
	case capped:
		return false, result.EndedByCap
	}
	e.previousUnmet = lacks
	return true, ""
}
