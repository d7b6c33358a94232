package figures

import (
	"h5perf/pkg/result"
)

// Floor is the least throughput that is wanted of an operation, in bytes per second.
type Floor struct {
	Operation result.Operation
	Rate      float64
}

// BestPoint returns the point of the operation with the highest median, of all runs. Points with a caution (see
// Caution) do not count; cautions has the number of those of the operation with each. Best returns false if no point
// counts.
func (f Floor) BestPoint(runs []Run) (best Point, cautions map[string]int, found bool) {
	cautions = map[string]int{}
	var points []Point
	for i := range runs {
		points = append(points, runs[i].Points()...)
	}
	best, found = HighestPoint(points, func(p Point) bool {
		if p.Operation != f.Operation {
			return false
		}
		caution := p.Caution()
		if caution != "" {
			cautions[caution]++
		}
		return caution == ""
	})
	return best, cautions, found
}

// Caution returns the word of the first caution because of which a point does not show what a file system gives: it is
// partial, a sample is warm or implausible, or nobody made written data durable. It returns "" if there is none.
func (p Point) Caution() string {
	c := p.Run.Parameters.Conditions
	switch {
	case p.Partial != "":
		return "partial"
	case NumMarked(p.Samples, result.Warm) > 0:
		return string(result.Warm)
	case NumMarked(p.Samples, result.Implausible) > 0:
		return string(result.Implausible)
	case p.isUnsynced() && (!c.Direct || !result.APIOf(p.Case.API).Direct):
		return NotSynced.Word
	}
	return ""
}
