package plan_test

import (
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
)

func TestASpreadWithoutEffectIsNoted(t *testing.T) {
	const one, all = "--spread nodes has no effect on a single node", "every step uses all processes"
	for _, row := range []struct {
		spread option.ProcessSpread
		least  int
		job    plan.JobFacts
		note   string
	}{
		{"nodes", 1, plan.JobFacts{Processes: 4, Nodes: 2}, ""},
		{"nodes", 1, plan.JobFacts{Processes: 4}, ""}, // the nodes are not known
		{"nodes", 1, plan.JobFacts{Processes: 4, Nodes: 1}, one},
		{"nodes", 4, plan.JobFacts{Processes: 4, Nodes: 2}, all},
		{"nodes", 4, plan.JobFacts{Processes: 4, Nodes: 1}, all},
		{"ranks", 1, plan.JobFacts{Processes: 4, Nodes: 1}, ""},
		{"", 1, plan.JobFacts{Processes: 4, Nodes: 1}, ""},
	} {
		o := plan.Options{
			Sizes:  option.Sizes{MinProcesses: &row.least},
			Common: option.Common{Conditions: option.Conditions{Spread: row.spread}},
		}
		p := mustPlanOn(t, o, row.job)
		notes := strings.Join(p.Notes, "; ")
		if (notes == "") != (row.note == "") || !strings.Contains(notes, row.note) {
			t.Errorf("%s, -p %d on %+v: notes %q, want %q", row.spread, row.least, row.job, notes, row.note)
		}
		if got := p.Parameters.Conditions.Spread; (got == "nodes") != (row.spread == "nodes") || got == "ranks" {
			t.Errorf("%q became %q", row.spread, got)
		}
	}
}
