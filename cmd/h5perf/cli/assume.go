package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// assumed returns the rate that a plan assumes, a SIZE per second or the throughputs of a document, and a note if the
// document is of something else than is planned. It returns nil if the text is empty.
func assumed(text string, p plan.Plan) (plan.Rate, string, error) {
	if text == "" {
		return nil, "", nil
	}
	if rate, err := units.ParseSize(text); err == nil {
		if rate == 0 {
			return nil, "", fmt.Errorf("--assume %s: a rate must be at least 1 byte per second", text)
		}
		return func(plan.Case, workload.Op) float64 { return float64(rate) }, "", nil
	}
	doc, err := result.Read(text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("--assume %s: must be a rate such as 5G (per second), or an existing file", text)
	}
	if err != nil {
		return nil, "", fmt.Errorf("--assume: %w", err)
	}
	measured := plan.Rates(doc)
	if c, op, missing := measured.Unknown(p); missing {
		return nil, "", fmt.Errorf("--assume %s: the document has no throughput of %s, %s; give another document, "+
			"or a rate",
			text, result.APIOf(c.API).Label, op)
	}
	return measured, otherThan(text, doc.Parameters.Workload, p.Parameters.Workload), nil
}

// otherThan returns a note if a document is of another workload than a plan, and "" otherwise. A nil workload is a
// sweep.
func otherThan(file string, measured, planned *result.Workload) string {
	title := func(w *result.Workload) string {
		if w == nil {
			return "a sweep of transfer sizes"
		}
		return "the " + w.Title()
	}
	switch {
	case measured == nil && planned == nil, measured != nil && planned != nil && measured.Hash == planned.Hash:
		return ""
	case title(measured) == title(planned):
		return fmt.Sprintf("--assume %s: the document is of %s with other sizes or choices: its rates may be others "+
			"than those of this run", file, title(measured))
	}
	return fmt.Sprintf("--assume %s: the document is of %s, the plan is of %s: its rates may be others than those of "+
		"this run", file, title(measured), title(planned))
}
