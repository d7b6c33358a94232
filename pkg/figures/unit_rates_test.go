package figures_test

import (
	"slices"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

func TestUnitsPerSecondHaveTheTimeOfComputing(t *testing.T) {
	r := figurestest.Workload()
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			s := &r.Cases[i].Samples[k]
			if s.OpenClose.WindowSeconds = 4; k >= 8 {
				s.OpenClose.WindowSeconds = 1000 // of the fewest samples, so that it is not in the median
			}
			s.OpenClose.WindowSeconds *= float64(i + 1)
			s.Handled = []result.HandledUnits{{Unit: "samples", Number: 50}}
			if s.Operation == result.OperationWrite {
				s.Handled = []result.HandledUnits{{Unit: "nothing"}, {Unit: "files", Number: 48000}}
			}
		}
		r.Cases[i].Samples = r.Cases[i].Samples[:10]
	}
	want := []string{
		"With the time of computing, writes reach these files per second: POSIX 12000, MPI-IO 6000, HDF5 4000.",
		"With the time of computing, reads reach these samples per second: POSIX 12.5, MPI-IO 6.25, HDF5 4.17.",
	}
	if got := r.UnitRateSentences(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	points := r.Points()
	if got := figures.UnitNames(points); !slices.Equal(got, []string{"files", "samples"}) {
		t.Errorf("units %q", got)
	}
	if got := points[0].UnitRateText("samples"); got != "-" {
		t.Errorf("samples of %s: %s", points[0].Operation, got)
	}
	sweep := figurestest.Sweep()
	if got := sweep.UnitRateSentences(); got != nil {
		t.Errorf("a sweep: %q", got)
	}
}
