package run

import (
	"fmt"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
)

// enough says how many iterations are needed to show a difference in one of so many points, and how many there are. It
// is a warning if there may be too few. who are the arms, each of which has the same number.
func enough(p result.Parameters, who string, needed, points int) (text string, warning bool) {
	least, most := p.Iterations, max(p.Iterations, option.Value(p.Conditions.MaxIterations))
	there := fmt.Sprint(least)
	if least < most {
		there = fmt.Sprintf("%d to %d", least, most)
	}
	where := ""
	if points > 1 {
		where = fmt.Sprintf(" in any of %d points", points)
	}
	text = fmt.Sprintf("to show a difference%s, %s need at least %d iterations each; they have %s",
		where, who, needed, there)
	switch {
	case most < needed:
		return fmt.Sprintf("warning: %s, so no difference can be shown: give -i %d or more", text, needed), true
	case least < needed:
		return fmt.Sprintf("warning: %s, so perhaps no difference can be shown: give -i %d or more", text, needed), true
	}
	return text, false
}
