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

// counted is a communicator that counts collective calls, also those of its parts.
type counted struct {
	mpi.Comm
	calls map[string]int
}

func (c counted) Barrier() {
	c.calls["Barrier"]++
	c.Comm.Barrier()
}

func (c counted) Agree(code int, hurry func() bool, grace time.Duration) (int, int, error) {
	c.calls["Agree"]++
	return c.Comm.Agree(code, hurry, grace)
}

func (c counted) Reduce(values []float64) []mpi.Extremes {
	c.calls["Reduce"]++
	return c.Comm.Reduce(values)
}

func (c counted) SumUint64(values []uint64) {
	c.calls["SumUint64"]++
	c.Comm.SumUint64(values)
}

func (c counted) Bcast(data []byte, root int) []byte {
	c.calls["Bcast"]++
	return c.Comm.Bcast(data, root)
}

func (c counted) Gather(data []byte) [][]byte {
	c.calls["Gather"]++
	return c.Comm.Gather(data)
}

func (c counted) Split(color, key int) mpi.Comm {
	c.calls["Split"]++
	if part := c.Comm.Split(color, key); part != nil {
		return counted{part, c.calls}
	}
	return nil
}

func (c counted) SplitNode() mpi.Comm {
	c.calls["SplitNode"]++
	return counted{c.Comm.SplitNode(), c.calls}
}

// What a run costs beside its transfers is collective calls: one reduction for each sample, however many clocks it has.
func TestCollectiveCallsOfARun(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*plan.Options)
		want   map[string]int
	}{
		"plain": {func(*plan.Options) {}, map[string]int{
			"Agree":     87,
			"Barrier":   12,
			"Bcast":     3,
			"Reduce":    12,
			"Split":     1,
			"SplitNode": 1,
			"SumUint64": 4,
		}},
		"with all clocks": {func(o *plan.Options) {
			o.APIs, o.Conditions = []string{result.PHDF5}, plan.Conditions{Latency: true, Sync: "close"}
		}, map[string]int{
			"Agree":     93,
			"Barrier":   12,
			"Bcast":     27,
			"Reduce":    42,
			"Split":     1,
			"SplitNode": 1,
			"SumUint64": 10,
		}},
		"with a time limit": {func(o *plan.Options) { o.Conditions.TimeLimit = new(time.Hour) }, map[string]int{
			"Agree":     99,
			"Barrier":   12,
			"Bcast":     3,
			"Reduce":    24,
			"Split":     1,
			"SplitNode": 1,
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
					World: counted{world, calls}, Stop: stop, Now: time.Now, Host: "here",
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
