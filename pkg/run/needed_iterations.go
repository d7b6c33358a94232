package run

import (
	"fmt"

	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// iterationsLine returns a line of text with the number of iterations of each arm, and with the number that is needed
// to show that the arms differ at one of the points. earlier is the number of iterations that were measured before.
// caution reports whether the iterations may be too few. who names the arms, which all have the same number of
// iterations.
func iterationsLine(p result.Parameters, earlier int, who string, needed, points int) (line string, caution bool) {
	least := earlier + p.Iterations
	most := max(least, option.ValueOrZero(p.Conditions.MaxIterations))
	there := fmt.Sprint(least)
	if least < most {
		there = fmt.Sprintf("%d to %d", least, most)
	}
	where := ""
	if points > 1 {
		where = fmt.Sprintf(" in any of %d points", points)
	}
	text := fmt.Sprintf("To show a difference%s, %s need at least %d iterations each; they have %s", where, who, needed,
		there)
	if least >= needed {
		return plain.NoteLine("", text+", which is enough."), false
	}
	perhaps := "perhaps "
	if most < needed {
		perhaps = ""
	}
	return plain.Caution{
		Text: text + ", so " + perhaps + "no difference can be shown.", Help: fmt.Sprintf("-i %d or more", needed),
	}.Line(""), true
}
