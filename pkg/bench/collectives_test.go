package bench_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/test/null"
)

// tellingComm is a communicator that reports its collective calls, and those of communicators made from it.
type tellingComm struct {
	mpi.Comm
	of func(call string)
}

func (c tellingComm) Barrier() {
	c.of("Barrier")
	c.Comm.Barrier()
}

func (c tellingComm) Agree(code int, hurry func() bool, grace time.Duration, how mpi.WaitMode) (int, int, error) {
	c.of("Agree")
	return c.Comm.Agree(code, hurry, grace, how)
}

func (c tellingComm) Reduce(values []float64) []mpi.ReducedValue {
	c.of("Reduce")
	return c.Comm.Reduce(values)
}

func (c tellingComm) SumUint64(values []uint64) {
	c.of("SumUint64")
	c.Comm.SumUint64(values)
}

func (c tellingComm) Bcast(data []byte, root int) []byte {
	c.of("Bcast")
	return c.Comm.Bcast(data, root)
}

func (c tellingComm) Gather(data []byte) [][]byte {
	c.of("Gather")
	return c.Comm.Gather(data)
}

func (c tellingComm) Split(color, key int) mpi.Comm {
	c.of("Split")
	if part := c.Comm.Split(color, key); part != nil {
		return tellingComm{part, c.of}
	}
	return nil
}

func (c tellingComm) SplitNode() mpi.Comm {
	c.of("SplitNode")
	return tellingComm{c.Comm.SplitNode(), c.of}
}

func (c tellingComm) SplitFirst(n int) mpi.Comm {
	c.of("First")
	return tellingComm{c.Comm.SplitFirst(n), c.of}
}

// stillClock is a clock that stands still, so all iterations are short.
func stillClock() time.Duration { return time.Second }

// Besides its transfers, a run costs collective calls: one reduction for each sample, for any number of clocks.
func TestCollectiveCallsOfARun(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*plan.Options)
		want   map[string]int
		config func(*bench.Config) // may be nil
	}{
		"plain": {func(*plan.Options) {}, map[string]int{
			"Agree":     108,
			"Barrier":   36,
			"Bcast":     4,
			"First":     2,
			"Reduce":    30,
			"Split":     1,
			"SplitNode": 1,
			"SumUint64": 7,
		}, nil},
		"with a deadline": {func(*plan.Options) {}, map[string]int{
			"Agree":     108,
			"Barrier":   36,
			"Bcast":     10,
			"First":     2,
			"Reduce":    30,
			"Split":     1,
			"SplitNode": 1,
			"SumUint64": 7,
		}, func(c *bench.Config) { c.Deadline = time.Now().Add(time.Hour) }},
		"with all clocks": {func(o *plan.Options) {
			o.APIs, o.Conditions = []string{result.PHDF5}, option.Conditions{Latency: true, Sync: "close"}
		}, map[string]int{
			"Agree":     114,
			"Barrier":   66,
			"Bcast":     28,
			"First":     2,
			"Reduce":    60,
			"Split":     1,
			"SplitNode": 1,
			"SumUint64": 13,
		}, nil},
		"with a time limit": {func(o *plan.Options) { o.TimeLimit = new(3600.0) }, map[string]int{
			"Agree":     108,
			"Barrier":   36,
			"Bcast":     4,
			"First":     2,
			"Reduce":    42,
			"Split":     1,
			"SplitNode": 1,
			"SumUint64": 7,
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := one(2)
			o.WriteOnly, o.MinProcesses = false, new(2)
			c.change(&o)
			stop, dir := stopAndDir(t)
			mpitest.InMemory(t, mpi.MemoryJobOptions{}, 2, func(world mpi.Comm) {
				p, err := plan.New(o, plan.JobFacts{Processes: 2})
				if err != nil {
					t.Error(err)
					return
				}
				e := null.New(null.Options{})
				newEngine := func() engine.Engine { return e }
				seen, calls := newTrace(), map[string]int{}
				cfg := bench.Config{
					World: tellingComm{world, func(call string) { calls[call]++ }}, Stop: stop,
					Now: time.Now, Clock: stillClock, Host: "here", Grace: time.Hour,
					Arms: []bench.Arm{{
						Plan: p, Dir: dir, Observer: seen,
						Engines: map[string]func() engine.Engine{result.POSIX: newEngine, result.PHDF5: newEngine},
					}},
					Abort: func(e result.Error) { t.Errorf("abort: %v", e) },
				}
				if c.config != nil {
					c.config(&cfg)
				}
				if state := bench.Run(cfg); state != result.Complete {
					t.Errorf("state %s: %+v", state, seen.cases)
				}
				if d := cmp.Diff(c.want, calls); d != "" {
					t.Errorf("rank %d: %s", world.Rank(), d)
				}
			})
		})
	}
}

// The number of collective calls of a process does not grow with the number of processes, and no clock contains one.
func TestCollectiveCallsDoNotGrowWithProcesses(t *testing.T) {
	few, many := callsOf(t, 2), callsOf(t, 1024)
	if d := cmp.Diff(few, many); d != "" {
		t.Error(d)
	}
	if n := many["in a clock"]; n != 0 || many["Barrier"] == 0 {
		t.Errorf("%d calls in clocks, of %v", n, many)
	}
}

// callsOf returns how often each of n processes makes each collective call while they measure one case, and how many of
// these calls are between two readings of a clock.
func callsOf(t *testing.T, n int) map[string]int {
	t.Helper()
	o := transfers(1, option.Conditions{})
	o.APIs, o.MinProcesses = []string{result.POSIX}, &n
	p, err := plan.New(o, plan.JobFacts{Processes: n})
	if err != nil {
		t.Fatal(err)
	}
	stop, dir := stopAndDir(t)
	all := make([]map[string]int, n)
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, n, func(world mpi.Comm) {
		calls, readings, last := map[string]int{}, 0, ""
		watched := tellingComm{world, func(call string) {
			calls[call]++
			if readings%2 == 1 {
				calls["in a clock"]++
			}
			last = call
		}}
		clock := func() time.Duration {
			if last != "SplitNode" && last != "Split" { // reads the origin of the group
				readings++
			}
			return stillClock()
		}
		state := bench.Run(bench.Config{
			World: watched, Stop: stop, Now: time.Now, Clock: clock, Host: "here", Grace: time.Hour,
			Arms: []bench.Arm{{
				Plan: p, Dir: dir, Observer: newTrace(), Engines: nullEngines(null.Options{}),
			}},
			Abort: func(e result.Error) { t.Errorf("abort: %v", e) },
		})
		if state != result.Complete || readings == 0 {
			t.Errorf("rank %d of %d: %s, with %d readings", world.Rank(), n, state, readings)
		}
		all[world.Rank()] = calls
	})
	for rank, calls := range all {
		if d := cmp.Diff(all[0], calls); d != "" {
			t.Errorf("rank %d of %d: %s", rank, n, d)
		}
	}
	return all[0]
}
