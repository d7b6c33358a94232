package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// assumedRate returns the throughput with which a plan estimates the time. text is a SIZE per second, or the path of a
// document with throughputs. If the run of that document measured another workload than planned, assumedRate also
// returns a caution. If text is empty, the rate is nil.
func assumedRate(text string, p plan.Plan) (plan.AssumedRate, []plain.Caution, error) {
	if text == "" {
		return nil, nil, nil
	}
	if rate, err := units.ParseSize(text); err == nil {
		if rate == 0 {
			return nil, nil, fmt.Errorf("--assume %s: a rate must be at least 1 byte per second", text)
		}
		return func(plan.Case, workload.Op) float64 { return float64(rate) }, nil, nil
	}
	doc, err := result.Read(text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("--assume %s: must be a rate such as 5G (per second), or an existing file", text)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("--assume: %w", err)
	}
	measured := plan.MedianRates(doc)
	if c, op, missing := measured.FindUnknown(p); missing {
		return nil, nil, fmt.Errorf("--assume %s: the document has no throughput of %s, %s; give another document, "+
			"or a rate",
			text, result.APIOf(c.API).Label, op)
	}
	return measured, otherWorkloadCautions(text, doc.Parameters.Workload, p.Parameters.Workload), nil
}

// otherWorkloadCautions returns a caution if the run of the document file measured another workload than the planned
// one. A nil workload stands for a sweep.
func otherWorkloadCautions(file string, measured, planned *result.Workload) []plain.Caution {
	title := func(w *result.Workload) string {
		if w == nil {
			return "a sweep of transfer sizes"
		}
		return "the " + w.Title()
	}
	if measured == nil && planned == nil || measured != nil && planned != nil && measured.Hash == planned.Hash {
		return nil
	}
	than := ", and the plan is of " + title(planned)
	if title(measured) == title(planned) {
		than = " with other sizes or choices"
	}
	return []plain.Caution{{
		Keyword: "rates of another workload",
		Text: fmt.Sprintf("The document of --assume %s is of %s%s: its rates may differ from those of this run.",
			file, title(measured), than),
	}}
}
