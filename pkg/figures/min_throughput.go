package figures

import (
	"h5perf/pkg/result"
)

// MinThroughput is the required minimum throughput of an operation, in bytes per second.
type MinThroughput struct {
	Operation result.Operation
	Rate      float64
}

// BestPoint returns the point with the highest median among all points of the operation in the runs. Points with a
// caution (see Point.Caution) are ignored; the map cautions holds, for each keyword of a caution, the number of ignored
// points. found is false if no point is left.
func (f MinThroughput) BestPoint(runs []Run) (best Point, cautions map[string]int, found bool) {
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

// Caution returns the keyword of the first reason why the point does not show the speed of the file system: it is
// partial, a sample is warm or implausible, or nothing made the written data durable. It returns "" if there is no
// reason.
func (p Point) Caution() string {
	c := p.Run.Parameters.Conditions
	switch {
	case p.Partial != "":
		return "partial"
	case NumMarked(p.Samples, result.MarkWarm) > 0:
		return string(result.MarkWarm)
	case NumMarked(p.Samples, result.MarkImplausible) > 0:
		return string(result.MarkImplausible)
	case p.isUnsynced() && (!c.Direct || !result.APIOf(p.Case.API).Direct):
		return NotSynced.Keyword
	}
	return ""
}
