package bench

import (
	"slices"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// chooseArms lets NextRound choose the arms of a round, and ends the cases of the others. It returns the arms in the
// order of measurement, or nil if there is no NextRound. Collective.
func (r *runner) chooseArms(every []peerCases) (chosen []int) {
	if r.NextRound == nil {
		return nil
	}
	if r.isFirstRank() {
		chosen = r.NextRound(r.roundSeconds(every))
	}
	chosen = mpi.Broadcast(r.World, chosen, 0)
	for _, c := range slices.Concat(every...) {
		switch {
		case !c.isRunning() || slices.Contains(chosen, r.armIndex(c)):
		case c.numSamples() == 0:
			c.endWithoutSample(result.EndedByChoice, "it was not chosen for any round")
		default:
			c.out.EndedBy = result.EndedByChoice
			c.completeCase()
		}
	}
	return chosen
}

// roundSeconds returns how long each arm took in the last round, in all its cases; 0 if a case was not measured or has
// failed.
func (r *runner) roundSeconds(every []peerCases) []float64 {
	seconds, missing := make([]float64, len(r.Arms)), make([]bool, len(r.Arms))
	for _, c := range slices.Concat(every...) {
		arm := r.armIndex(c)
		seconds[arm] += c.seconds
		missing[arm] = missing[arm] || c.seconds == 0 || c.out.State == result.Failed
		c.seconds = 0
	}
	for arm := range seconds {
		if missing[arm] {
			seconds[arm] = 0
		}
	}
	return seconds
}
