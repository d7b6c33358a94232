package plan

import (
	"h5perf/pkg/option"
	"h5perf/pkg/stats"
)

// defaultOpenIterations is the default minimum if the run itself determines the number of iterations: fewer samples
// give no confidence interval.
var defaultOpenIterations = stats.MinSamples(stats.Level)

// PairsNeeded returns the number of iterations needed to show a difference between this plan and others, if their
// iterations alternate.
func (p Plan) PairsNeeded(others ...Plan) int {
	return stats.PairsNeeded(p.NumPoints(others...), 1-stats.Level)
}

// withEnoughPairs returns the plan with enough iterations for a comparison, if a preset determines the number of
// iterations, and iterations of this plan and of another plan alternate. It does not exceed the maximum number of
// iterations that the user gave.
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

// SetIterations sets the number of iterations of all cases.
func (p *Plan) SetIterations(n int) {
	p.Parameters.Iterations = n
	for i := range p.Parts {
		p.Parts[i].Plan.SetIterations(n)
	}
}

// chosenIterations returns the given number of iterations, or its default. If the run itself determines the number, the
// default is the number of samples that a confidence interval needs. A smaller maximum that the user gave reduces the
// default, unless there is a preset or --repeat-until.
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
