package run

import (
	"fmt"

	"h5perf/pkg/plan"
	"h5perf/pkg/stats"
)

// enough says how many iterations the comparison of two plans, of which a is one, needs to show any difference, and how
// many there are.
func enough(a plan.Plan) string {
	points := 0
	for range a.Cases() {
		points += len(a.Operations())
	}
	p := a.Parameters
	least, most := p.Iterations, max(p.Iterations, p.Conditions.MaxIterations)
	needed := stats.PairsNeeded(points, 1-stats.Level)
	text := fmt.Sprintf("a difference in any of %d points takes at least %d iterations to be shown; ", points, needed)
	if points == 1 {
		text = fmt.Sprintf("a difference takes at least %d iterations to be shown; ", needed)
	}
	switch least {
	case most:
		text += fmt.Sprintf("there are %d", least)
	default:
		text += fmt.Sprintf("there are %d to %d", least, most)
	}
	if most < needed {
		text += fmt.Sprintf(", so none can be: give -i %d, or more", needed)
	}
	return text
}
