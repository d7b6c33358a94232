package bench

import (
	"slices"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

// timeMargin is the share by which an estimate of a duration is increased.
const timeMargin = 0.1

// With a deadline, cases get fewer iterations than were requested, so that each case gets some and the run ends in
// time. Only process 0 of the world reads the clock; the others follow its decisions. The next iteration of a case is
// expected to last at most as long as the longest one so far. Nothing is known about the first iteration of a case: it
// begins if any time is left.

// deadlinePassed reports whether the deadline has passed. Without a deadline it returns false. Collective.
func (r *runner) deadlinePassed() bool {
	return r.decideOnRank0(func() bool { return !r.Now().Before(r.Deadline) })
}

// decideOnRank0 calls the function so on process 0 only, and returns its result on all processes. Without a deadline it
// returns false and calls nothing. Collective.
func (r *runner) decideOnRank0(so func() bool) bool {
	if r.Deadline.IsZero() {
		return false
	}
	r.reportActivity(Activity{Phase: result.PhaseCaseEnd, Waiting: true})
	defer r.reportActivity(Activity{})
	return mpi.Broadcast(r.World, r.isFirstRank() && so(), 0)
}

// shareRemainingTime sets the time at which the cases of p must end: their share of the time until the deadline.
// peersLeft is the number of peerCases, including p, that are still to be measured.
func (r *runner) shareRemainingTime(p peerCases, peersLeft int) {
	if r.Deadline.IsZero() {
		return
	}
	now := r.Now()
	for _, c := range p {
		c.endBy = now.Add(r.Deadline.Sub(now) / time.Duration(peersLeft))
	}
}

// hasTimeToIterate reports whether the time of the case is expected to be enough for another iteration.
func (c *caseRun) hasTimeToIterate() bool {
	return c.endBy.IsZero() || !c.Now().Add(withMargin(c.longestIteration)).After(c.endBy)
}

func withMargin(d time.Duration) time.Duration { return d + time.Duration(timeMargin*float64(d)) }

// hasTimeToVisit reports whether the time until the deadline is expected to be enough for another visit of each of
// these cases. Without a deadline it returns true. Collective.
func (r *runner) hasTimeToVisit(all ...peerCases) bool {
	return !r.decideOnRank0(func() bool {
		var visits time.Duration
		for _, p := range all {
			for _, c := range p {
				if c.isRunning() {
					visits += c.longestVisit
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

// numSamples returns the number of iterations of the case so far, without those for warm-up. Process 0 sends the number
// of iterations to the others after each visit.
func (c *caseRun) numSamples() int { return max(0, c.count-option.ValueOrZero(c.conditions().Warmup)) }

// endAllCases ends all running cases because of the deadline. A case that has a sample is complete with the samples it
// has; a case without one is skipped. Collective.
func (r *runner) endAllCases(all []peerCases) {
	for _, c := range slices.Concat(all...) {
		switch {
		case !c.isRunning():
		case c.numSamples() == 0:
			r.skipCase(c)
		default:
			if c.wantsMore { // a case that needs no more only waited for its peer
				c.out.EndedBy = result.EndedByDeadline
			}
			c.completeCase()
		}
	}
}

// skipCase ends a case that had no time for an iteration before the deadline. The run then fails.
func (r *runner) skipCase(c *caseRun) {
	r.state = result.Failed
	c.endWithoutSample(result.EndedByDeadline, "there was no time for an iteration before the deadline")
}

// endWithoutSample ends a case that has no sample, for a reason. Collective over the members of the group.
func (c *caseRun) endWithoutSample(by result.EndedBy, reason string) {
	if c.isFirstRank() && c.count == 0 {
		c.arm.Observer.BeginCase(c.index, c.out)
	}
	c.out.State, c.out.EndedBy, c.out.Reason = result.Skipped, by, reason
	c.noteCaseEnd()
}
