package bench_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
)

// Each step takes a second. The transfer of dump 101 on rank 1 takes five more, and the others wait for it.
func TestTheTimesOfDumpsAreToldInBuckets(t *testing.T) {
	const slow, each, last = 101, 3, 130
	state, c := dumping{dumps: last, pause: 10 * time.Second, slow: func(rank int, s null.Step) time.Duration {
		if rank == 1 && s.Phase == null.Transfer && s.Dataset == slow-1 {
			return 5 * time.Second
		}
		return 0
	}}.measured(t, null.Options{}, nil)
	if state != result.Complete || len(c.Samples) != 4 {
		t.Fatalf("%s with %d samples: %+v", state, len(c.Samples), c.Error)
	}
	for _, s := range c.Samples {
		begin := result.Class("create")
		if s.Operation == "read" {
			begin = "open"
		}
		first, windows := 1, 0.0
		for _, d := range s.Dumps {
			n := float64(min(each, last-first+1))
			late := 0.0
			if first <= slow && slow < first+each {
				late = 5
			}
			want := result.DumpTime{
				First: first, Last: first + int(n) - 1, Bytes: uint64(n) * 3 * 4096, WindowSeconds: 3*n + late,
				Classes: []result.DumpClass{
					{Class: begin, Max: n, Mean: n},
					{Class: "transfer", Max: n + late, Mean: n + late/3},
					{Class: "object close", Max: n, Mean: n},
					{Class: "compute", Max: 10 * n, Mean: 10 * n},
				},
			}
			if late > 0 {
				want.Classes = append(want.Classes, result.DumpClass{Class: "fence", Max: late, Mean: late * 2 / 3})
			}
			if diff := cmp.Diff(want, d, cmp.Comparer(alike)); diff != "" {
				t.Errorf("%s: %s", s.Operation, diff)
			}
			first, windows = d.Last+1, windows+d.WindowSeconds
		}
		if first != last+1 {
			t.Errorf("%s: buckets end before dump %d, want %d", s.Operation, first, last+1)
		}
		// The file is opened before the dumps and closed after them.
		if !alike(windows, s.Access.WindowSeconds-2) {
			t.Errorf("%s: windows of dumps take %v of %v", s.Operation, windows, s.Access.WindowSeconds)
		}
	}
}

// alike reports whether times are equal except for rounding errors.
func alike(x, y float64) bool { return math.Abs(x-y) < 1e-9 }

func TestDumpsHaveNoMoreThan64Buckets(t *testing.T) {
	for dumps, want := range map[uint64]int{1: 0, 2: 2, 64: 64, 65: 33, 300: 60} {
		_, c := dumping{dumps: dumps}.measured(t, null.Options{}, nil)
		for _, s := range c.Samples {
			if len(s.Dumps) != want || want > 0 && s.Dumps[want-1].Last != int(dumps) {
				t.Errorf("%d dumps, %s: %d buckets, want %d", dumps, s.Operation, len(s.Dumps), want)
			}
		}
	}
}

func TestDumpsThatATimeLimitLeavesOutHaveNoTimes(t *testing.T) {
	for limit, want := range map[float64]int{5: 2, 1: 0} { // a dump takes 3 s, and opening the file 1 s
		_, c := dumping{dumps: 5}.measured(t, null.Options{}, func(p *plan.Plan) {
			p.Parameters.Conditions.TimeLimit = &limit
		})
		if len(c.Samples) != 4 {
			t.Fatalf("%d samples: %+v", len(c.Samples), c.Error)
		}
		for _, s := range c.Samples {
			if len(s.Dumps) != want || want > 0 && s.Dumps[want-1].Last != want {
				t.Errorf("limit of %v s, %s: %+v, want %d buckets of a dump", limit, s.Operation, s.Dumps, want)
			}
		}
	}
}

// The times of dumps are in the same reduction as the other times of their sample.
func TestTimesOfDumpsNeedNoFurtherReduction(t *testing.T) {
	calls := func(dumps uint64) map[string]int {
		all := map[string]int{}
		dumping{dumps: dumps, told: func(rank int, call string) {
			if rank == 0 && call != "Agree" && call != "Barrier" { // each epoch has these
				all[call]++
			}
		}}.measured(t, null.Options{}, nil)
		return all
	}
	one, many := calls(1), calls(100)
	if d := cmp.Diff(one, many); d != "" || one["Reduce"] == 0 {
		t.Errorf("one dump and 100: %s", d)
	}
}
