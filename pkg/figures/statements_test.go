package figures_test

import (
	"slices"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/workload"
)

// judged returns a run of HDF5 1.10.8. Its cases have words of the choice storage, and these transfers of writes.
func judged(statements []result.Statement, transfers map[string]*result.Collective) figures.Run {
	r := figurestest.Workload()
	r.Parameters.Workload.Statements = statements
	like := r.Cases[2]
	r.Cases = nil
	for _, word := range []string{"chunked", "contiguous", "filtered"} {
		c, p := like, r.Parameters
		c.Values = []result.KeyValue{{Key: "storage", Value: word}}
		c.Effective = &result.Effective{CollectiveWrites: transfers[word]}
		of := *p.Workload
		of.Chosen, of.Statements, p.Workload = c.Values, nil, &of
		r.Cases = append(r.Cases, c)
		r.Swept = append(r.Swept, result.SweptCases{Values: c.Values, Parameters: p})
	}
	return r
}

func TestStatementsAreJudgedByWhatARunMeasured(t *testing.T) {
	about := func(words ...string) []result.ChosenWords {
		return []result.ChosenWords{{Choice: "storage", Words: words}}
	}
	linked := &result.Collective{Collective: 4, Optimization: []string{"H5D_MPIO_LINK_CHUNK"}}
	r := judged([]result.Statement{
		{Text: "All", Transfers: workload.CollectiveTransfers},
		{Text: "None", Transfers: workload.MixedTransfers, Changed: "1.8.0"},
		{Text: "Chunks", Transfers: workload.CollectiveTransfers, Where: about("chunked"), Changed: "1.14.0"},
		{Text: "Linked", Transfers: workload.LinkedChunks, Where: about("chunked")},
		{Text: "Filters", Transfers: workload.CollectiveTransfers, Where: about("filtered")},
		{Text: "Others", Transfers: workload.CollectiveTransfers, Where: []result.ChosenWords{{Choice: "x"}}},
	}, map[string]*result.Collective{"chunked": linked, "contiguous": {Independent: 3}, "filtered": {}})
	want := []string{
		"All: with HDF5 1.10.8 true in part, 1 of 2.",
		"None: with HDF5 1.10.8 no longer true (HDF5 1.8.0 changed it), 0 of 2.",
		"Chunks: with HDF5 1.10.8 still true (HDF5 1.14.0 changed it), 1 of 1.",
		"Linked: with HDF5 1.10.8 still true, 1 of 1.",
		"Filters: not measured.", "Others: not measured.",
	}
	if got := r.StatementSentences(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	sweep := figurestest.Sweep()
	if got := sweep.StatementSentences(); got != nil {
		t.Errorf("of a run without statements: %q", got)
	}
}
