package bench_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/engine/null"
	"h5perf/pkg/mpi"
	"h5perf/pkg/mpi/mpitest"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// told is a communicator that tells of collective calls, also of those of its parts.
type told struct {
	mpi.Comm
	of func(call string)
}

func (c told) Barrier() {
	c.of("Barrier")
	c.Comm.Barrier()
}

func (c told) Agree(code int, hurry func() bool, grace time.Duration, how mpi.Wait) (int, int, error) {
	c.of("Agree")
	return c.Comm.Agree(code, hurry, grace, how)
}

func (c told) Reduce(values []float64) []mpi.Extremes {
	c.of("Reduce")
	return c.Comm.Reduce(values)
}

func (c told) SumUint64(values []uint64) {
	c.of("SumUint64")
	c.Comm.SumUint64(values)
}

func (c told) Bcast(data []byte, root int) []byte {
	c.of("Bcast")
	return c.Comm.Bcast(data, root)
}

func (c told) Gather(data []byte) [][]byte {
	c.of("Gather")
	return c.Comm.Gather(data)
}

func (c told) Split(color, key int) mpi.Comm {
	c.of("Split")
	if part := c.Comm.Split(color, key); part != nil {
		return told{part, c.of}
	}
	return nil
}

func (c told) SplitNode() mpi.Comm {
	c.of("SplitNode")
	return told{c.Comm.SplitNode(), c.of}
}

// What a run costs beside its transfers is collective calls: one reduction for each sample, however many clocks it has.
func TestCollectiveCallsOfARun(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*plan.Options)
		want   map[string]int
	}{
		"plain": {func(*plan.Options) {}, map[string]int{
			"Agree":     99,
			"Barrier":   60,
			"Bcast":     4,
			"Gather":    1,
			"Reduce":    24,
			"Split":     2,
			"SplitNode": 2,
			"SumUint64": 4,
		}},
		"with all clocks": {func(o *plan.Options) {
			o.APIs, o.Conditions = []string{result.PHDF5}, plan.Conditions{Latency: true, Sync: "close"}
		}, map[string]int{
			"Agree":     105,
			"Barrier":   66,
			"Bcast":     28,
			"Gather":    1,
			"Reduce":    54,
			"Split":     2,
			"SplitNode": 2,
			"SumUint64": 10,
		}},
		"with a time limit": {func(o *plan.Options) { o.Conditions.TimeLimit = new(time.Hour) }, map[string]int{
			"Agree":     99,
			"Barrier":   60,
			"Bcast":     4,
			"Gather":    1,
			"Reduce":    36,
			"Split":     2,
			"SplitNode": 2,
			"SumUint64": 4,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			o := one(2)
			o.WriteOnly, o.MinProcesses = false, new(2)
			c.change(&o)
			stop, dir := stopAndDir(t)
			mpitest.InMemory(t, mpi.Memory{}, 2, func(world mpi.Comm) {
				p, err := plan.New(o, plan.Job{Processes: 2})
				if err != nil {
					t.Error(err)
					return
				}
				e := null.New(null.Options{})
				newEngine := func() engine.Engine { return e }
				seen, calls := newTrace(), map[string]int{}
				state := bench.Run(bench.Config{
					World: told{world, func(call string) { calls[call]++ }}, Stop: stop,
					Now: time.Now, Clock: bench.NodeClock, Host: "here", Grace: time.Hour,
					Arms: []bench.Arm{{
						Plan: p, Dir: dir, Observer: seen,
						Engines: map[string]func() engine.Engine{result.POSIX: newEngine, result.PHDF5: newEngine},
					}},
					Abort: func(e result.Error) { t.Errorf("abort: %v", e) },
				})
				if state != result.Complete {
					t.Errorf("state %s: %+v", state, seen.cases)
				}
				if d := cmp.Diff(c.want, calls); d != "" {
					t.Errorf("rank %d: %s", world.Rank(), d)
				}
			})
		})
	}
}
