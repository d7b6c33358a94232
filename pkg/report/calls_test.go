package report

import (
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

// Both reports end with the same table of calls as the tables of a document, and only if calls were counted.
func TestReportsShowCallsThatWereCounted(t *testing.T) {
	const title = "Calls of an iteration"
	asWorkload := figurestest.Workload()
	asWorkload.Parameters.Conditions.CountCalls = true
	asWorkload.Cases = slices.Clone(asWorkload.Cases)
	for i := range asWorkload.Cases {
		for k := range asWorkload.Cases[i].Samples {
			asWorkload.Cases[i].Samples[k].Calls = []result.FunctionCalls{
				{API: result.POSIX, Function: "pwrite", Kind: result.CallWrite, Calls: uint64(7 + i), Bytes: 1 << 30},
			}
		}
	}
	for _, r := range []figures.Run{figurestest.Counted(), asWorkload, figurestest.Sweep(), figurestest.Workload()} {
		var text strings.Builder
		report := NewReport(&text, r.Document, CReportOptions{})
		for _, c := range r.Cases {
			report.EndCase(c)
		}
		report.Close()
		want, got := tablesOf(tables(t, r))[title], tablesOf(text.String())[title]
		if counted := r.Parameters.Conditions.CountCalls; counted != (want != nil) || counted != (got != nil) ||
			len(want) != len(got) {
			t.Errorf("workload %v, counted %v: table %v, want %v in\n%s", r.IsWorkload(), counted, got, want,
				text.String())
		}
		for i := range got {
			if !slices.Equal(got[i], want[i]) {
				t.Errorf("line %v, want %v", got[i], want[i])
			}
		}
	}
}
