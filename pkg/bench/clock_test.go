package bench_test

import (
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
	"h5perf/pkg/workload"
)

// testClock is a clock that the test moves.
type testClock struct{ now time.Duration }

func (c *testClock) set(cfg *bench.Config) { cfg.Clock = func() time.Duration { return c.now } }

// transfers makes each transfer take seconds(dataset). Datasets are counted from 1.
func (c *testClock) transfers(seconds func(dataset int) float64) null.Options {
	datasets := 0
	return null.Options{Fail: func(s null.Step) error {
		switch s.Phase {
		case null.Dataset:
			datasets++
		case null.Transfer:
			c.now += time.Duration(seconds(datasets) * 1e9)
		}
		return nil
	}}
}

// timed is a null engine. On the clock, each of its steps takes as long as the test says. It records latencies by that
// clock.
type timed struct {
	engine.Engine
	latency *fill.Histogram
}

// engines returns timed engines for all APIs.
func (c *testClock) engines(takes func(null.Step) time.Duration) map[string]func() engine.Engine {
	e := func() engine.Engine { return c.timed(takes) }
	return map[string]func() engine.Engine{result.POSIX: e, result.MPIIO: e, result.PHDF5: e}
}

func (c *testClock) timed(takes func(null.Step) time.Duration) engine.Engine {
	e := &timed{}
	e.Engine = null.New(null.Options{Fail: func(s null.Step) error {
		took := takes(s)
		c.now += took
		if s.Phase == null.Transfer && e.latency != nil {
			e.latency.Record(uint64(took))
		}
		return nil
	}})
	return e
}

func (e *timed) Prepare(env engine.Env, program workload.Program) (engine.Session, error) {
	e.latency, env.Latency = env.Latency, nil
	return e.Engine.Prepare(env, program)
}
