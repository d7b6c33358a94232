package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"h5perf/pkg/engine"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// assumed returns the rate that a plan assumes: a SIZE per second, or the throughputs of a document. It returns nil
// if the text is empty.
func assumed(text string, p plan.Plan) (plan.Rate, error) {
	if text == "" {
		return nil, nil
	}
	if rate, err := units.ParseSize(text); err == nil {
		if rate == 0 {
			return nil, fmt.Errorf("--assume %s: a rate must be at least 1 byte per second", text)
		}
		return func(plan.Case, engine.Op) float64 { return float64(rate) }, nil
	}
	doc, err := result.Read(text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--assume %s: neither a rate, a SIZE per second, nor a file", text)
	}
	if err != nil {
		return nil, fmt.Errorf("--assume: %w", err)
	}
	for c := range p.Cases() {
		for _, op := range p.Operations() {
			if !(measured(doc, c, op) > 0) {
				return nil, fmt.Errorf("--assume %s: the document has no figure of %s, %s; give "+
					"one that has, or a rate", text, c.API, op)
			}
		}
	}
	return func(c plan.Case, op engine.Op) float64 { return measured(doc, c, op) }, nil
}

// measured returns the median throughput of an operation in a document, in bytes per second: that of the same
// transfer size and number of processes if the document has it, else that of all cases of the API. It returns NaN if
// there is none.
func measured(doc result.Document, c plan.Case, op engine.Op) float64 {
	var same, all []float64
	for _, m := range doc.Cases {
		for _, point := range m.Points() {
			if m.API != c.API || point.Operation != plan.OperationOf(op) {
				continue
			}
			all = append(all, point.Throughputs()...)
			if m.Processes == c.Processes && m.TransferBytes == c.Transfer {
				same = append(same, point.Throughputs()...)
			}
		}
	}
	if len(same) == 0 {
		same = all
	}
	return stats.Median(same, stats.Level).Median
}
