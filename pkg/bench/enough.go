package bench

import (
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// enough is what rank 0 knows of the samples of a case, to decide whether it needs more.
type enough struct {
	rates   [2][]float64 // bytes per second, by engine.Op
	seconds [2]float64
	lacked  result.EndedBy // what was not enough when it was looked at last: width or seconds
}

func (e *enough) add(op engine.Op, s result.Sample) {
	e.rates[op] = append(e.rates[op], s.Throughput())
	e.seconds[op] += s.Seconds()
}

// lacks is what the samples of a direction that has some are not enough for; "" is nothing.
func (e *enough) lacks(c *result.Conditions) result.EndedBy {
	for op, rates := range e.rates {
		if len(rates) == 0 {
			continue
		}
		if c.RepeatUntil > 0 {
			m := stats.Median(rates, stats.Level)
			if !m.Finite() || m.High-m.Low > c.RepeatUntil*m.Median {
				return result.EndedByWidth
			}
		}
		if e.seconds[op] < c.MinSeconds {
			return result.EndedBySeconds
		}
	}
	return ""
}

// decide finds out after an iteration whether the case needs more. Where that is open, rank 0 knows.
func (c *caseRun) decide() {
	conditions, least := c.conditions(), c.plan.Parameters.Iterations
	open := conditions.RepeatUntil > 0 || conditions.MinSeconds > 0
	c.more = c.iteration < least
	if c.more || !open {
		return
	}
	if c.first() {
		c.more, c.out.EndedBy = c.enough.decide(conditions, c.iteration >= max(least, conditions.MaxIterations))
	}
	c.more = mpi.Broadcast(c.work, c.more, 0)
}

// decide tells whether a case needs more iterations, and if not, why.
func (e *enough) decide(c *result.Conditions, capped bool) (more bool, endedBy result.EndedBy) {
	lacks := e.lacks(c)
	switch {
	case lacks == "" && e.lacked != "":
		return false, e.lacked
	case lacks == "" && c.RepeatUntil > 0:
		return false, result.EndedByWidth
	case lacks == "":
		return false, result.EndedBySeconds
	case capped:
		return false, result.EndedByCap
	}
	e.lacked = lacks
	return true, ""
}
