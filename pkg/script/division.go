package script

import (
	"slices"

	"h5perf/pkg/workload"
)

// Division says by which rule the ranks divide datasets.
type Division struct {
	Op         workload.Op
	Rule       workload.RuleName
	Collective bool
	Datasets   []string // names in the notation
}

// Divisions returns the divisions of a resolved workload, in the order of its steps. Datasets that are divided alike
// are together.
func (r Resolved) Divisions() []Division {
	var all []Division
	for op, p := range []*Part{r.Write, r.Read} {
		if p == nil {
			continue
		}
		slices.Concat(p.Begin, p.Dump, p.End).walk(func(s *Step) {
			if s.Select == nil {
				return
			}
			d := Division{
				Op:         workload.Op(op),
				Rule:       workload.RuleName(s.Select.Rule),
				Collective: s.Mode.word == collective,
			}
			i := slices.IndexFunc(all, func(o Division) bool {
				return o.Op == d.Op && o.Rule == d.Rule && o.Collective == d.Collective
			})
			if i < 0 {
				i, all = len(all), append(all, d)
			}
			for _, name := range s.about() {
				if !slices.Contains(all[i].Datasets, name.text) {
					all[i].Datasets = append(all[i].Datasets, name.text)
				}
			}
		})
	}
	return all
}
