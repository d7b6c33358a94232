package figures_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

// stacked formats the stacks of a run.
func stacked(r figures.Run) string {
	var words []string
	for _, s := range figures.LayerStacks(r.Points(), r.LayerRatios()) {
		first := s.Layers[0]
		text := fmt.Sprintf("%s of %d-%d, %d, %s:", s.Operation, s.Cases, s.Cautioned, first.Case.Processes,
			first.TransferText())
		for _, l := range s.Layers {
			text += " " + l.Case.API
			if l.Missing != "" {
				text += " missing"
			}
			if l.LowerLayerRatio != nil {
				text += " " + figures.FormatRatio(l.LowerLayerRatio.Value.Median)
			}
		}
		words = append(words, text)
	}
	return strings.Join(words, "; ")
}

func TestStacksAreOfOneCase(t *testing.T) {
	const whole = "posix mpiio 0.70 phdf5 0.57"
	for name, c := range map[string]struct {
		change func(*figures.Run)
		want   string
	}{
		"the fastest of the highest layer": {
			func(*figures.Run) {}, "write of 6-0, 4, 1 MiB: " + whole + "; read of 6-0, 4, 1 MiB: " + whole,
		},
		"not that of a lower layer": {
			func(r *figures.Run) {
				r.Cases[3] = figurestest.Case(4, 256<<10, result.POSIX, 1e6, 8) // no other case is as fast
			}, "write of 6-0, 4, 1 MiB: " + whole + "; read of 6-0, 4, 1 MiB: " + whole,
		},
		"more layers before a faster one": {
			func(r *figures.Run) { r.Cases = slices.Delete(r.Cases, 7, 8) }, // MPI-IO on 4 processes with 1 MiB
			"write of 5-0, 4, 256 KiB: " + whole + "; read of 5-0, 4, 256 KiB: " + whole,
		},
		"without a caution before a faster one": {
			func(r *figures.Run) {
				for i := range r.Cases[:3] { // 4 processes with 64 KiB
					for k := range r.Cases[i].Samples {
						r.Cases[i].Samples[k].Marks = nil
					}
				}
			}, "write of 6-0, 4, 1 MiB: " + whole + "; read of 6-5, 4, 64 KiB: " + whole,
		},
		"a layer that failed has a reason": {
			func(r *figures.Run) {
				for i := 2; i < len(r.Cases); i += 3 {
					r.Cases[i].State, r.Cases[i].Samples = result.Failed, nil
				}
			}, "write of 6-0, 4, 1 MiB: posix mpiio 0.70 phdf5 missing; " +
				"read of 6-0, 4, 1 MiB: posix mpiio 0.70 phdf5 missing",
		},
		"data from elsewhere have no cost": {
			func(r *figures.Run) {
				for i := 0; i < len(r.Cases); i += 3 {
					for k := range r.Cases[i].Samples {
						r.Cases[i].Samples[k].Marks = nil
					}
				}
			}, "write of 6-0, 4, 1 MiB: " + whole + "; read of 6-0, 4, 1 MiB: posix mpiio phdf5 0.57",
		},
		"no figures": {func(r *figures.Run) {
			for i := range r.Cases {
				r.Cases[i].State, r.Cases[i].Samples = result.Failed, nil
			}
		}, ""},
	} {
		r := figurestest.Sweep()
		c.change(&r)
		if got := stacked(r); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", name, got, c.want)
		}
	}
}

func TestAStackIsOfOneRun(t *testing.T) {
	fast, other := figurestest.Sweep(), figurestest.Sweep()
	fast.Cases = slices.DeleteFunc(fast.Cases, func(c result.Case) bool { return c.API == result.PHDF5 })
	other.Cases = slices.DeleteFunc(other.Cases, func(c result.Case) bool { return c.API == result.POSIX })
	points := append(fast.Points(), other.Points()...)
	for _, s := range figures.LayerStacks(points, append(fast.LayerRatios(), other.LayerRatios()...)) {
		if len(s.Layers) != 2 || s.Layers[0].Run != s.Layers[1].Run {
			t.Errorf("%ss: layers of %s and %s", s.Operation, s.Layers[0].Case.API, s.Layers[1].Case.API)
		}
	}
}
