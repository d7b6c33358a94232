package bench

import (
	"fmt"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// dropArms ends the cases of so many arms, the last ones, that the others are expected to end within the time that
// is left. Arm A and one more are always kept. It is called after the first round of all cases, which must be a round
// of warm-up: each further round of an arm is expected to last as long. Collective.
func (r *runner) dropArms(all []peerCases, left time.Duration) {
	took := make([]time.Duration, len(r.Arms))
	for _, peers := range all {
		for a, c := range peers {
			took[r.armIndex(peers[a])] += c.longestVisit
		}
	}
	p := r.Arms[0].Plan.Parameters
	rounds := time.Duration(p.Iterations + option.ValueOrZero(p.Conditions.Warmup) - 1)
	kept, sum := 0, time.Duration(0)
	for _, one := range took {
		if sum += one * rounds; sum > left && kept >= 2 {
			break
		}
		kept++
	}
	kept = mpi.Broadcast(r.World, kept, 0) // clocks of other processes differ
	for _, one := range took[min(kept+1, len(took)):] {
		sum += one * rounds
	}
	reason := fmt.Sprintf("it was dropped: %d variants would need about %s more, and %s of --time %s are left",
		len(took), units.FormatDuration(sum), units.FormatDuration(max(0, left)), r.Budget)
	for _, peers := range all {
		for _, c := range peers {
			if r.armIndex(c) >= kept && c.isRunning() {
				c.out.State, c.out.Reason = result.Skipped, reason
				c.noteCaseEnd()
			}
		}
	}
}

// armIndex returns the index of the arm of a case.
func (r *runner) armIndex(c *caseRun) int {
	for i := range r.Arms {
		if c.arm == &r.Arms[i] {
			return i
		}
	}
	return 0
}
