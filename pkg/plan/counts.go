package plan

import (
	"h5perf/pkg/option"
	"h5perf/pkg/stats"
)

// defaultOpenIterations is the default minimum if the run itself determines the number of iterations: fewer samples
// give no confidence interval.
var defaultOpenIterations = stats.MinSamples(stats.Level)

// PairsNeeded returns the number of iterations needed to show a difference between this plan and another plan that is
// measured in turns with it.
func (p Plan) PairsNeeded() int { return stats.PairsNeeded(p.NumPoints(), 1-stats.Level) }

// withEnoughPairs returns the plan with enough iterations for a comparison, if a preset chose their number and the plan
// is measured in turns with another plan. It keeps a limit that the user gave.
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

// chosenIterations returns the given number of iterations, or its default. With a preset, that is at least the number
// that an interval needs; a smaller limit is refused.
func chosenIterations(given *int, c option.Conditions) (int, error) {
	least := 1
	if c.IsOpenEnded() {
		least = defaultOpenIterations
		if c.MaxIterations != nil && c.RepeatUntil == nil && c.Preset == "" {
			least = max(1, min(least, *c.MaxIterations))
		}
	}
	return positiveCount("-i", "iterations", given, least)
}
