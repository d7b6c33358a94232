package bench_test

import (
	"strings"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
)

// The last arms are dropped before they have a sample; the others keep all their iterations.
func TestTheLastArmsAreDroppedToKeepABudget(t *testing.T) {
	// An iteration of the three cases of an arm takes 3 seconds: the first round 12, ten more of three arms 90.
	for budget, kept := range map[time.Duration]int{
		0: 4, 132 * time.Second: 4, 131 * time.Second: 3, 102 * time.Second: 3, 101 * time.Second: 2, time.Second: 2,
	} {
		o := one(10)
		o.Warmup = new(1)
		p, err := plan.New(o, plan.JobFacts{Processes: 1})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Unix(1000, 0)
		cfg := bench.Config{
			World: mpi.Self{}, Now: func() time.Time { return now }, Clock: bench.NodeClock, Host: "here",
			Grace: time.Hour, Budget: budget, Abort: func(e result.Error) { t.Fatalf("abort: %v", e) },
		}
		var seen [4]*trace
		for i := range seen {
			stop, dir := stopAndDir(t)
			cfg.Stop, seen[i] = stop, newTrace()
			e := null.New(null.Options{Fail: func(s null.Step) error {
				if s.Phase == null.Open {
					now = now.Add(time.Second)
				}
				return nil
			}})
			cfg.Arms = append(cfg.Arms, bench.Arm{
				Plan: p, Dir: dir, Observer: seen[i],
				Engines: map[string]func() engine.Engine{result.POSIX: func() engine.Engine { return e }},
			})
		}
		if state := bench.Run(cfg); state != result.Complete {
			t.Errorf("%v: the run is %s", budget, state)
		}
		for i, arm := range seen {
			for _, c := range arm.cases {
				want, samples := result.Complete, 10
				if i >= kept {
					want, samples = result.Skipped, 0
				}
				const dropped = "it was dropped: 4 variants would need about 2 min more"
				if c.State != want || len(c.Samples) != samples ||
					strings.HasPrefix(c.Reason, dropped) != (i >= kept) {
					t.Errorf("%v: arm %d is %s (%s) with %d samples", budget, i, c.State, c.Reason, len(c.Samples))
				}
			}
		}
	}
}
