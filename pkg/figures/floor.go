package figures

import "h5perf/pkg/result"

// Floor is the least throughput that is wanted of an operation, in bytes per second.
type Floor struct {
	Operation result.Operation
	Rate      float64
}

// Best returns the point of the operation with the highest median, of all runs. Points that are partial, or of which a
// sample is warm or implausible, do not count: they do not show what a file system gives. It returns false if no point
// counts.
func (f Floor) Best(runs []Run) (best Point, found bool) {
	for i := range runs {
		for _, p := range runs[i].Points() {
			counts := p.Operation == f.Operation && p.Missing == "" && p.Partial == "" &&
				Marked(p.Samples, result.Warm)+Marked(p.Samples, result.Implausible) == 0
			if counts && (!found || p.Rate.Median > best.Rate.Median) {
				best, found = p, true
			}
		}
	}
	return best, found
}
