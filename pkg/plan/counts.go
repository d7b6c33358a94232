package plan

import (
	"h5perf/pkg/option"
	"h5perf/pkg/stats"
)

// defaultOpenIterations is the number of iterations at least, where the run finds how many there are: fewer have no
// interval.
var defaultOpenIterations = stats.MinSamples(stats.Level)

// PairsNeeded returns how many iterations are needed to show a difference between this plan and another one that is
// measured in turns with it.
func (p Plan) PairsNeeded() int { return stats.PairsNeeded(p.NumPoints(), 1-stats.Level) }

// withEnoughPairs returns the plan with as many iterations as a comparison needs, if a preset chose their number and
// the plan is measured in turns with another one. A limit that is given counts.
func withEnoughPairs(p Plan, given *int, c option.Conditions) Plan {
	if !c.InTurns || c.Preset == "" || given != nil {
		return p
	}
	s := &p.Parameters
	needed := p.PairsNeeded()
	if c.MaxIterations != nil {
		needed = min(needed, *c.MaxIterations)
	}
	s.Iterations = max(s.Iterations, needed)
	if most := s.Conditions.MaxIterations; most != nil {
		s.Conditions.MaxIterations = new(max(*most, s.Iterations))
	}
	return p
}

// chosenIterations returns the given number of iterations, or its default. A preset has at least as many as an interval
// needs, whatever its limit: a smaller limit is refused.
func chosenIterations(given *int, c option.Conditions) (int, error) {
	least := 1
	if c.OpenEnded() {
		least = defaultOpenIterations
		if c.MaxIterations != nil && c.RepeatUntil == nil && c.Preset == "" {
			least = max(1, min(least, *c.MaxIterations))
		}
	}
	return positiveCount("-i", "iterations", given, least)
}
