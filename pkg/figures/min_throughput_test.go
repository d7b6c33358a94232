package figures_test

import (
	"maps"
	"slices"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/workload"
)

func TestTheBestPointIsOneThatShowsTheFileSystem(t *testing.T) {
	r := figurestest.Sweep()
	r.Cases = []result.Case{
		figurestest.Case(2, 4096, "posix", 1000, 8), figurestest.Case(2, 8192, "posix", 4000, 8),
		figurestest.Case(2, 16384, "posix", 8000, 8), figurestest.Case(2, 32768, "posix", 16000, 8),
	}
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Marks = nil
		}
	}
	r.Cases[2].Samples[2].Marks = []result.Mark{result.MarkImplausible} // a write
	r.Cases[2].Samples[3].Marks = []result.Mark{result.MarkWarm}        // a read
	r.Cases[3].State = result.Interrupted
	for _, op := range result.ValuesOf[result.Operation]() {
		best, _, found := figures.MinThroughput{Operation: op}.BestPoint([]figures.Run{r})
		if !found || best.Case.TransferSize != 8192 || best.Operation != op {
			t.Errorf("%s: %v, transfer size %d", op, found, best.Case.TransferSize)
		}
	}
	r.Cases = slices.Clone(r.Cases[2:])
	for op, want := range map[result.Operation]map[string]int{
		result.OperationRead: {"warm": 1, "partial": 1}, result.OperationWrite: {"implausible": 1, "partial": 1},
	} {
		best, cautions, found := figures.MinThroughput{Operation: op}.BestPoint([]figures.Run{r})
		if found || !maps.Equal(cautions, want) {
			t.Errorf("%s: %+v, %v, want %v", op, best.Rate, cautions, want)
		}
	}
}

func TestOnlyDurableWritesShowTheFileSystem(t *testing.T) {
	r := figurestest.Sweep()
	r.Parameters.Conditions.Sync = option.SyncNone
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Marks = nil
			figurestest.SetTime(&r.Cases[i].Samples[k], workload.Sync, result.Interval{})
		}
	}
	for _, direct := range []bool{false, true} {
		r.Parameters.Conditions.Direct = direct
		for _, p := range r.Points() {
			want := ""
			if p.Operation == result.OperationWrite && (!direct || p.Case.API != result.POSIX) {
				want = "not synced"
			}
			if got := p.Caution(); got != want {
				t.Errorf("direct %v: %s %s: %q, want %q", direct, p.Case.API, p.Operation, got, want)
			}
		}
	}
}
