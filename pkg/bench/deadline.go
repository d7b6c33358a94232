package bench

import (
	"slices"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

// timeMargin is added to an estimate of how long work will take, as a part of it.
const timeMargin = 0.1

// With a deadline, cases get fewer iterations than were asked for, so that each of them has some and the run ends in
// time. Process 0 of the world alone looks at the clock, and the others follow it. An iteration is taken to last no
// longer than the longest of its case so far; of the first one nothing is known, and it is begun if there is time left.

// deadlinePassed reports whether the deadline has passed. Without a deadline it returns false. Collective.
func (r *runner) deadlinePassed() bool {
	return r.decideOnFirst(func() bool { return !r.Now().Before(r.Deadline) })
}

// decideOnFirst returns what process 0 finds to be so, if there is a deadline, and else false. Collective.
func (r *runner) decideOnFirst(so func() bool) bool {
	if r.Deadline.IsZero() {
		return false
	}
	r.reportActivity(Activity{Phase: result.PhaseTurn, Waiting: true})
	defer r.reportActivity(Activity{})
	return mpi.Broadcast(r.World, r.isFirstRank() && so(), 0)
}

// allotTime gives the cases of p, the first of left ones to measure, their share of the time that is left.
func (r *runner) allotTime(p peerCases, left int) {
	if r.Deadline.IsZero() {
		return
	}
	now := r.Now()
	for _, c := range p {
		c.until = now.Add(r.Deadline.Sub(now) / time.Duration(left))
	}
}

// hasTimeToIterate reports whether the time that the case has is enough for another iteration, as far as is known.
func (c *caseRun) hasTimeToIterate() bool {
	return c.until.IsZero() || !c.Now().Add(withMargin(c.longest)).After(c.until)
}

func withMargin(d time.Duration) time.Duration { return d + time.Duration(timeMargin*float64(d)) }

// hasTimeToVisit reports whether the time that is left is enough for another visit of each of these cases, as far as is
// known. Without a deadline it returns true. Collective.
func (r *runner) hasTimeToVisit(all ...peerCases) bool {
	return !r.decideOnFirst(func() bool {
		var visits time.Duration
		for _, p := range all {
			for _, c := range p {
				if c.isRunning() {
					visits += c.visited
				}
			}
		}
		return r.Now().Add(withMargin(visits)).After(r.Deadline)
	})
}

// allHaveSamples reports whether each of these cases that is running has a sample.
func allHaveSamples(all []peerCases) bool {
	return !slices.ContainsFunc(slices.Concat(all...),
		func(c *caseRun) bool { return c.isRunning() && c.numSamples() == 0 })
}

// numSamples returns the number of iterations that count. Process 0 tells the others after each visit.
func (c *caseRun) numSamples() int { return max(0, c.count-option.ValueOrZero(c.conditions().Warmup)) }

// endAllCases ends all cases that are running because of the deadline: those that have a sample are complete with what
// they have, the others are skipped. Collective.
func (r *runner) endAllCases(all []peerCases) {
	for _, c := range slices.Concat(all...) {
		switch {
		case !c.isRunning():
		case c.numSamples() == 0:
			r.skipCase(c)
		default:
			if c.more { // or else it only waited for its peer
				c.out.EndedBy = result.EndedByDeadline
			}
			c.completeCase()
		}
	}
}

// skipCase ends a case that had no time for an iteration before the deadline. The run then fails.
func (r *runner) skipCase(c *caseRun) {
	r.state = result.Failed
	if r.isFirstRank() && c.count == 0 {
		c.arm.Observer.BeginCase(c.index, c.out)
	}
	c.out.State, c.out.EndedBy = result.Skipped, result.EndedByDeadline
	c.out.Reason = "there was no time for an iteration before the deadline"
	c.noteCaseEnd()
}
