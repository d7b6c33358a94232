package run

import (
	"fmt"

	"h5perf/pkg/plan"
)

// enough says how many iterations are needed to show a difference between A and B, and how many there are. It is a
// warning if there may be too few. a is the plan of A; that of B has as many cases and iterations.
func enough(a plan.Plan) (text string, warning bool) {
	p, needed := a.Parameters, a.PairsNeeded()
	least, most := p.Iterations, max(p.Iterations, p.Conditions.MaxIterations)
	there := fmt.Sprint(least)
	if least < most {
		there = fmt.Sprintf("%d to %d", least, most)
	}
	where := ""
	if n := a.Points(); n > 1 {
		where = fmt.Sprintf(" in any of %d points", n)
	}
	text = fmt.Sprintf("to show a difference%s, A and B need at least %d iterations each; they have %s",
		where, needed, there)
	switch {
	case most < needed:
		return fmt.Sprintf("warning: %s, so no difference can be shown: give -i %d or more", text, needed), true
	case least < needed:
		return fmt.Sprintf("warning: %s, so perhaps no difference can be shown: give -i %d or more", text, needed), true
	}
	return text, false
}
