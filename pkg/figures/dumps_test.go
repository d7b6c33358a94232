package figures_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

func TestTimesOfDumpsAreTransfersStructureAndOther(t *testing.T) {
	sample := func(factor float64) result.Sample {
		return result.Sample{
			Operation: result.OperationWrite, Bytes: 1, Access: result.Interval{WindowSeconds: 1, Max: 1},
			Dumps: []result.DumpTime{
				{First: 1, Last: 2, WindowSeconds: 16 * factor, Classes: []result.DumpClass{
					{Class: "create", Max: factor},
					{Class: "attribute", Max: factor},
					{Class: "fence", Max: 2 * factor},
					{Class: "select", Max: 2 * factor},
					{Class: "transfer", Max: 4 * factor},
					{Class: "compute", Max: 100 * factor},
				}},
				{First: 3, Last: 3, WindowSeconds: 2 * factor, Classes: []result.DumpClass{
					{Class: "transfer", Max: factor}, {Class: "create", Max: 3 * factor}, // slowest on different ranks
				}},
			},
		}
	}
	r := figures.Run{Document: result.Document{
		Parameters: result.Parameters{Workload: &result.Workload{}},
		Cases: []result.Case{{
			State: result.Complete, Samples: []result.Sample{sample(1), sample(10), sample(2)},
		}},
	}}
	want := []figures.MeanDumpTime{
		{First: 1, Last: 2, Transfers: 6, Structure: 4, Other: 6}, {First: 3, Last: 3, Transfers: 2, Structure: 2},
	}
	got := r.Points()[0].DumpTimes()
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); d != "" {
		t.Error(d)
	}
	// A time limit ended one iteration within the last bucket, and another one before it.
	samples := r.Cases[0].Samples
	samples[2].Dumps[0].Last, samples[2].Dumps[0].WindowSeconds, samples[2].Dumps = 1, 16, samples[2].Dumps[:1]
	want[0].Transfers, want[0].Structure, want[0].Other = 12, 4, 3
	want[1].Transfers, want[1].Structure = 5.5, 5.5 // of the two samples that have the bucket
	if d := cmp.Diff(want, r.Points()[0].DumpTimes(), cmpopts.EquateApprox(0, 1e-9)); d != "" {
		t.Error(d)
	}
	for _, run := range []figures.Run{figurestest.Workload(), figurestest.Sweep()} {
		if got := run.Points()[0].DumpTimes(); got != nil || run.DumpSlowdown() != "" {
			t.Errorf("without dumps: %v, %q", got, run.DumpSlowdown())
		}
	}
}

func TestThatDumpsBecomeSlowerIsToldIfItIsShown(t *testing.T) {
	slower := func(growth float64, change func(*result.Sample)) string {
		r := figurestest.Dumped(figurestest.Workload(), 8, growth)
		for i := range r.Cases {
			kept := r.Cases[i].Samples[:0]
			for _, s := range r.Cases[i].Samples {
				if r.Cases[i].API == result.PHDF5 && s.Operation == result.OperationWrite {
					change(&s)
					kept = append(kept, s)
				}
			}
			r.Cases[i].Samples = kept
		}
		return r.DumpSlowdown()
	}
	none := func(*result.Sample) {}
	const want = "HDF5 write: a dump took 1.8 times as long from dump 7 on as up to dump 2, at least 1.8 times"
	for name, c := range map[string]struct {
		growth float64
		change func(*result.Sample)
		want   string
	}{
		"slower":          {2, none, want},
		"a little slower": {1.1, none, ""},
		"faster":          {0.5, none, ""},
		"slower in some": {2, func(s *result.Sample) {
			if s.Iteration%3 == 0 {
				s.Dumps[0].WindowSeconds *= 10
			}
		}, ""},
		"other bytes": {2, func(s *result.Sample) { s.Dumps[7].Bytes *= 2 }, ""},
		"not in all":  {2, func(s *result.Sample) { s.Dumps = s.Dumps[:min(8, 8*(s.Iteration%2))] }, ""},
		"time limit":  {2, func(s *result.Sample) { s.Dumps = s.Dumps[:8-s.Iteration%2] }, ""},
		"no numbers":  {2, func(s *result.Sample) { s.Dumps[0].Last = -1 }, want},
	} {
		if got := slower(c.growth, c.change); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// If one of many points is slower by chance, it is not reported.
func TestMorePointsNeedMoreIterationsToBeShownSlower(t *testing.T) {
	all := figurestest.Dumped(figurestest.Workload(), 8, 2)
	if all.DumpSlowdown() == "" {
		t.Error("8 iterations of 6 points do not show it")
	}
	for i := range all.Cases {
		all.Cases[i].Samples = all.Cases[i].Samples[:14]
	}
	if got := all.DumpSlowdown(); got != "" {
		t.Errorf("7 iterations of 6 points show it: %s", got)
	}
	all.Cases = all.Cases[:1]
	if all.DumpSlowdown() == "" {
		t.Error("7 iterations of 2 points do not show it")
	}
}
