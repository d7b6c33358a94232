package plan

import (
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/workload"
)

// AssumedRate returns the assumed throughput of an operation of a case, in bytes per second. NaN means unknown.
type AssumedRate func(c Case, op workload.Op) float64

// MedianRates returns an AssumedRate that uses the median throughputs in a document. For a case, it uses the samples of
// the case with the same API, transfer size and number of processes, or those of all cases of the API if the document
// has no such case.
func MedianRates(doc result.Document) AssumedRate {
	return func(c Case, op workload.Op) float64 {
		var same, all result.Point
		for _, m := range doc.Cases {
			for _, point := range m.Points() {
				if m.API != c.API || point.Operation != OperationOf(op) {
					continue
				}
				all.Samples = append(all.Samples, point.Samples...)
				if m.Processes == c.Processes && m.TransferSize == c.TransferSize {
					same.Samples = append(same.Samples, point.Samples...)
				}
			}
		}
		if same.Samples == nil {
			same = all
		}
		return same.Throughput(stats.Level).Median
	}
}

// FindUnknown returns the first case and operation with an unknown rate. found reports whether there is one.
func (r AssumedRate) FindUnknown(p Plan) (c Case, op workload.Op, found bool) {
	for c := range p.Cases() {
		for _, op := range p.Operations() {
			if !(r(c, op) > 0) {
				return c, op, true
			}
		}
	}
	return Case{}, 0, false
}
