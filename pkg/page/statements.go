package page

import (
	"h5perf/pkg/figures"
	"h5perf/pkg/result"
)

// statementsView is what a run shows of the statements of its workload about collective transfers of HDF5.
type statementsView struct {
	Sentences []string
	Cases     []figures.Point // points with such transfers, in all parts of the run
}

// Values returns the names and values of --sweep of the cases.
func (v statementsView) Values() []result.KeyValue {
	if len(v.Cases) == 0 {
		return nil
	}
	return v.Cases[0].Case.Values
}

// newStatementsViews returns a view for each run whose workload has statements.
func newStatementsViews(runs []*figures.Run) (all []statementsView) {
	for _, g := range groupByKey(runs, func(r *figures.Run) string { return r.RunID }) {
		v := statementsView{Sentences: figures.StatementsOfParts(g.items)}
		if v.Sentences == nil {
			continue
		}
		for _, part := range g.items {
			for _, p := range part.Points() {
				if p.TransfersKind() != "" {
					v.Cases = append(v.Cases, p)
				}
			}
		}
		all = append(all, v)
	}
	return all
}
