//go:build cgo && !nompi

package bench_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// disturbed is an engine that calls before ahead of each batch. If before returns an error, the batch fails with it.
type disturbed struct {
	engine.Engine
	before func(*workload.Batch) error
}

func (d disturbed) Prepare(env engine.Env, p workload.Program) (engine.Session, error) {
	s, err := d.Engine.Prepare(env, p)
	return disturbedSession{s, d.before}, err
}

type disturbedSession struct {
	engine.Session
	before func(*workload.Batch) error
}

func (d disturbedSession) Do(b *workload.Batch) error {
	if err := d.before(b); err != nil {
		return err
	}
	return d.Session.Do(b)
}

// With a shift, a rank reads the part of another rank, so the order of turns differs.
func ranksTakeTurns(t *testing.T, world mpi.Comm) {
	for _, c := range []struct {
		name  string
		shift int
		fails bool // rank 0 fails
		stop  bool // rank 0 stops
		state result.State
	}{
		{"own", 0, false, false, result.Complete},
		{"shift", 1, false, false, result.Complete},
		{"failure", 0, true, false, result.Failed},
		{"stop", 0, false, true, result.Interrupted},
	} {
		dir, out := "", mpitest.Dir(t, world)
		if world.Rank() == 0 {
			dir = writeTurns(t, inTurns)
		}
		p := turnsPlan(t, mpi.Broadcast(world, dir, 0), plan.Options{
			Workload: &plan.WorkloadOptions{},
			Common:   option.Common{Iterations: new(2), Conditions: option.Conditions{Shift: &c.shift}},
			Verify:   true,
		}, world.Size())
		stop, err := engine.NewStopFlag()
		if err != nil {
			t.Fatal(err)
		}
		engines := map[string]func() engine.Engine{}
		for api, made := range realEngines() {
			engines[api] = func() engine.Engine {
				return disturbed{made(), func(b *workload.Batch) error {
					switch {
					case b.Class != workload.Transfer || world.Rank() > 0:
					case c.fails:
						return errors.New("input/output error")
					case c.stop:
						stop.Set()
					}
					return nil
				}}
			}
		}
		seen := newTrace()
		state := bench.Run(bench.Config{
			World: world, Stop: stop, Now: time.Now, Clock: bench.NodeClock, Host: "here", Grace: time.Hour,
			Arms:  []bench.Arm{{Plan: p, Engines: engines, Dir: hold(t, out), Observer: seen}},
			Abort: func(e result.Error) { t.Fatalf("abort: %v", e.Message) },
		})
		cases := mpi.Broadcast(world, seen.cases, 0)
		if apis := len(plan.APIs()); state != c.state || len(cases) != apis && !c.stop {
			t.Errorf("%s: %s with %d cases, want %s with %d", c.name, state, len(cases), c.state, apis)
		}
		for _, one := range cases {
			e := one.Error
			if one.State != c.state || len(one.Samples) > 0 != (e == nil) || c.fails != (e != nil && e.Rank == 0 &&
				e.Ranks == 1 && strings.Contains(e.Message, "input/output error")) {
				t.Errorf("%s, %s: %s with %d samples, %+v", c.name, one.API, one.State, len(one.Samples), e)
			}
		}
		if left, err := os.ReadDir(out); world.Rank() == 0 && (err != nil || len(left) > 0) {
			t.Errorf("%s: %v, %v are left", c.name, err, left)
		}
	}
}
