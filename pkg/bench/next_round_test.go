package bench_test

import (
	"slices"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
)

// NextRound chooses which arms are measured, and in which order. It sees the failure of an arm as a time of 0, and is
// called after the last round, too.
func TestNextRoundChoosesArms(t *testing.T) {
	rounds := [][]int{{2, 0, 3, 1}, {1, 0, 2}, {0, 1}, {0, 1}}
	for _, c := range []struct {
		rounds     [][]int
		iterations int
		samples    [5]int
	}{
		{rounds, 10, [5]int{4, 4, 2, 0, 0}},
		{rounds[:3], 3, [5]int{3, 3, 2, 0, 0}},
		{nil, 3, [5]int{}},
	} {
		p, err := plan.New(one(c.iterations), plan.JobFacts{Processes: 1})
		if err != nil {
			t.Fatal(err)
		}
		var order, wanted []int
		var seen [5]*trace
		calls := 0
		cfg := bench.Config{
			World: mpi.Self{}, Now: time.Now, Clock: bench.NodeClock, Host: "here", Grace: time.Hour,
			Abort: func(e result.Error) { t.Fatalf("abort: %v", e) },
			NextRound: func(seconds []float64) []int {
				for arm, s := range seconds {
					measured := calls > 0 && slices.Contains(c.rounds[calls-1], arm) && arm != 3
					if (s > 0) != measured {
						t.Errorf("%d iterations, call %d: arm %d took %g s", c.iterations, calls, arm, s)
					}
				}
				if calls++; calls > len(c.rounds) {
					return nil
				}
				return c.rounds[calls-1]
			},
		}
		for i := range seen {
			stop, dir := stopAndDir(t)
			cfg.Stop, seen[i] = stop, newTrace()
			e := null.New(null.Options{Fail: func(s null.Step) error {
				if s.Phase != null.Open {
					return nil
				}
				order = append(order, i)
				time.Sleep(time.Microsecond) // a time above 0
				if i == 3 {
					return errStop
				}
				return nil
			}})
			cfg.Arms = append(cfg.Arms, bench.Arm{
				Plan: p, Dir: dir, Observer: seen[i],
				Engines: map[string]func() engine.Engine{result.POSIX: func() engine.Engine { return e }},
			})
		}
		bench.Run(cfg)
		if calls != len(c.rounds)+1 {
			t.Errorf("%d iterations: NextRound was called %d times", c.iterations, calls)
		}
		for _, arms := range c.rounds {
			wanted = append(wanted, slices.Repeat(arms, 3)...) // three cases
		}
		if !slices.Equal(order, wanted) {
			t.Errorf("%d iterations: measured %v, not %v", c.iterations, order, wanted)
		}
		for i, arm := range seen {
			for _, one := range arm.cases {
				ended := one.EndedBy == result.EndedByChoice
				switch {
				case i == 3 && c.rounds != nil:
					if one.State != result.Failed {
						t.Errorf("%d iterations: arm 3 is %s", c.iterations, one.State)
					}
				case c.samples[i] == 0:
					if one.State != result.Skipped || one.Reason == "" {
						t.Errorf("%d iterations: arm %d is %s", c.iterations, i, one.State)
					}
				case one.State != result.Complete || len(one.Samples) != c.samples[i] ||
					ended != (c.samples[i] < c.iterations):
					t.Errorf("%d iterations: arm %d is %s with %d samples, ended by %q", c.iterations, i, one.State,
						len(one.Samples), one.EndedBy)
				}
			}
		}
	}
}
