package figures_test

import (
	"slices"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/placement"
	"h5perf/pkg/result"
)

// bound returns the binding of ranks to a list of processors.
func bound(ranks int, list string) []placement.Binding {
	return []placement.Binding{{Ranks: ranks, CPUs: list}}
}

// job returns a job of 4 processes on node n1, which may use cpus processors of a list.
func job(cpus float64, list string) result.Job {
	return result.Job{
		Processes: 4, Nodes: 1,
		Placement: []result.Host{{Host: "n1", Ranks: "0-3", Count: 4, CPUs: cpus, Bindings: bound(4, list)}},
	}
}

func TestCrowded(t *testing.T) {
	const end = "; the processes share processors, so the results are like those of a run with fewer processes"
	some := result.Job{Processes: 15, Nodes: 4, Placement: []result.Host{
		{Host: "n1", Ranks: "0-3", Count: 4, CPUs: 4, Bindings: bound(4, "0")},
		{Host: "n2", Ranks: "4-7", Count: 4, CPUs: 2.755, Bindings: slices.Concat(bound(2, "4"), bound(2, "0-3,8"))},
		{Host: "n3", Ranks: "8-10", Count: 3},
		{Host: "n4", Ranks: "11-14", Count: 4, CPUs: 1, Bindings: bound(4, "7")},
	}}
	grouped := some
	grouped.Placement = slices.Clone(some.Placement)
	grouped.Placement[1].Host, grouped.Placement[1].Nodes, grouped.Placement[1].Lowest = "n[2,5-6]", 3, "4,15,19"
	for name, c := range map[string]struct {
		job  result.Job
		want string
	}{
		"not known":         {job(0, ""), ""},
		"enough":            {job(4, "0-3"), ""},
		"more than enough":  {job(64, "0-63"), ""},
		"bound":             {job(2, "0-1"), "node n1 runs 4 processes on 2 processors (0-1)" + end},
		"a little too few":  {job(3, "0-2"), "node n1 runs 4 processes on 3 processors (0-2)" + end},
		"nobody placed yet": {result.Job{Processes: 4}, ""},
		"a quota": {job(1.5, "0-63"), "node n1 runs 4 processes on 1.5 processors (0-63, limited by the quota of " +
			"the control group)" + end},
		"some of several nodes": {some, "2 of 4 nodes run more processes than they have processors; for example, " +
			"node n2 runs 4 " +
			"processes on 2.76 processors (0-4,8, limited by the quota of the control group)" + end},
		"nodes of equal layout": {grouped, "4 of 6 nodes run more processes than they have processors; for example, " +
			"node n2 runs 4 " +
			"processes on 2.76 processors (0-4,8, limited by the quota of the control group)" + end},
	} {
		if got := figures.OversubscribedText(c.job); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
