package bench_test

import (
	"errors"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/test/null"
	"h5perf/pkg/workload"
)

// small returns options for a run on all processes, with every API, eight transfers of each process, and verification.
func small(world mpi.Comm, c option.Conditions) plan.Options {
	size := uint64(8 << 10)
	return plan.Options{
		Sizes: option.Sizes{
			BytesPerProcess: new(8 * size), MinTransferSize: &size, MaxTransferSize: &size,
			BlockSize: &size, MinProcesses: new(world.Size()),
		},
		Common: option.Common{Conditions: c},
		Verify: true,
	}
}

// nullEngines returns a null engine for every API.
func nullEngines(o null.Options) map[string]func() engine.Engine {
	e := func() engine.Engine { return null.New(o) }
	return map[string]func() engine.Engine{result.POSIX: e, result.MPIIO: e, result.PHDF5: e}
}

// measure runs options on all processes, in a directory. It returns the state and the ended cases on all of them.
func measure(
	t *testing.T, world mpi.Comm, o plan.Options, dir string, engines map[string]func() engine.Engine,
) (result.State, []result.Case) {
	t.Helper()
	return measureWith(t, world, o, dir, engines, func(*bench.Config) {})
}

// measureWith is like measure, but first calls change to adapt the configuration. No process stops waiting for others.
func measureWith(
	t *testing.T, world mpi.Comm, o plan.Options, dir string, engines map[string]func() engine.Engine,
	change func(*bench.Config),
) (result.State, []result.Case) {
	t.Helper()
	p, err := plan.New(o, plan.JobFacts{Processes: world.Size()})
	if err != nil {
		t.Fatal(err)
	}
	stop, err := engine.NewStopFlag()
	if err != nil {
		t.Fatal(err)
	}
	seen := newTrace()
	cfg := bench.Config{
		Arms: []bench.Arm{{
			Plan: p, Engines: engines, Dir: hold(t, dir), Observer: seen,
		}},
		World: world, Stop: stop, Now: time.Now, Clock: bench.NodeClock, Host: "here", Grace: time.Hour,
		Abort: func(e result.Error) { t.Fatalf("abort: %v", e.Message) },
	}
	change(&cfg)
	state := bench.Run(cfg)
	return state, mpi.Broadcast(world, seen.cases, 0)
}

// complete fails the test unless all cases are complete.
func complete(t *testing.T, name string, cases []result.Case, verified bool) {
	t.Helper()
	for _, c := range cases {
		if c.State != result.Complete || c.Verified != verified || len(c.Samples) == 0 {
			t.Errorf("%s, %s: %s, verified %v, %d samples, %+v", name, c.API, c.State, c.Verified, len(c.Samples),
				c.Error)
		}
	}
}

func TestProcessesThatAreLeftOutFollowARandomOrder(t *testing.T) {
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, 4, func(world mpi.Comm) {
		o := plan.Options{
			Sizes: option.Sizes{MinTransferSize: new(uint64(256 << 10))},
			Common: option.Common{Iterations: new(3), Conditions: option.Conditions{
				Order: option.OrderRandom,
				Seed:  new(uint64(3)),
			}},
		}
		state, cases := measure(t, world, o, mpitest.Dir(t, world), nullEngines(null.Options{}))
		if state != result.Complete || len(cases) != 9 {
			t.Errorf("rank %d: %s with %d cases, want complete with 3 steps of 3", world.Rank(), state, len(cases))
		}
		for _, c := range cases {
			if len(c.Samples) != 6 {
				t.Errorf("%d processes, %s: %d samples", c.Processes, c.API, len(c.Samples))
			}
		}
	})
}

func TestASyncThatFailsOnOneProcessLeavesNoneWaiting(t *testing.T) {
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, 3, func(world mpi.Comm) {
		for _, when := range []option.SyncMode{option.SyncClose, option.SyncPhase, option.SyncEach} {
			for _, collective := range []bool{false, true} {
				o := small(world, option.Conditions{Sync: when})
				o.Collective = collective
				state, cases := measure(t, world, o, mpitest.Dir(t, world),
					nullEngines(null.Options{Fail: func(s null.Step) error {
						if s.Phase == null.Sync && world.Rank() == 1 {
							return errors.New("input/output error")
						}
						return nil
					}}))
				if state != result.Failed || len(cases) != 3 {
					t.Fatalf("%s: %s with %d cases", when, state, len(cases))
				}
				for _, c := range cases {
					e := c.Error
					if c.State != result.Failed || e == nil || e.Phase != "sync" || e.Rank != 1 || e.Ranks != 1 ||
						len(c.Samples) != 0 {
						t.Errorf("%s, %s: %s, %+v", when, c.API, c.State, e)
					}
				}
			}
		}
	})
}

func TestATimeLimitHoldsForUnequalProcesses(t *testing.T) {
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, 2, func(world mpi.Comm) {
		// The limit is reached after 300 transfers of each dataset on the fast process, and 30 on the slow process.
		const limit = 60 * time.Millisecond
		size, n := uint64(1<<10), uint64(1000)
		for _, c := range []struct{ collective, each bool }{{}, {collective: true}, {each: true}, {true, true}} {
			o := plan.Options{
				Sizes: option.Sizes{
					APIs:            []string{result.MPIIO},
					BytesPerProcess: new(n * size),
					MinTransferSize: &size,
					MaxTransferSize: &size,
					BlockSize:       &size,
					MinProcesses:    new(2),
					Collective:      c.collective,
					Datasets:        new(2),
				},
				Common: option.Common{Conditions: option.Conditions{TimeLimit: new(limit.Seconds())}},
				Verify: true,
			}
			if c.each {
				o.Sync = "each"
			}
			own := &testClock{}
			_, cases := measureWith(t, world, o, mpitest.Dir(t, world), own.engines(func(s null.Step) time.Duration {
				switch s.Phase {
				case null.Transfer:
					return time.Duration(1+9*world.Rank()) * 100 * time.Microsecond
				case null.Sync:
					return 10 * time.Microsecond
				}
				return 0
			}), own.set)
			complete(t, "limit", cases, true)
			write, read := cases[0].Samples[0], cases[0].Samples[1]
			l := write.Limit
			if l == nil || write.Bytes != 2*size*l.Transfers || l.LimitBytes > write.Bytes ||
				write.Bytes >= cases[0].Bytes || l.PlannedBytes != cases[0].Bytes {
				t.Fatalf("%+v: write of %d bytes, limit %+v", c, write.Bytes, l)
			}
			want := uint64(600)
			switch {
			case c.collective:
				want = 60
			case c.each:
				want = 546
			}
			if l.Transfers < want || l.Transfers > want+want/20 || l.AtLimit.Max < limit.Seconds() && !c.each ||
				!c.collective && (l.LimitBytes != size*(l.Transfers+60) ||
					write.ClassInterval(workload.Transfer).Max < 1.5*l.AtLimit.Max) {
				t.Errorf("%+v: %+v, all transfers in %+v: want the slow process to go on to what the fast one did", c,
					l, write.ClassInterval(workload.Transfer))
			}
			if read.Bytes > write.Bytes || read.Bytes == 0 {
				t.Errorf("%+v: %d bytes were read of %d written", c, read.Bytes, write.Bytes)
			}
		}
	})
}

func TestLatenciesOfAllProcessesAreMergedAndTheSlowestNamed(t *testing.T) {
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, 3, func(world mpi.Comm) {
		o := small(world, option.Conditions{Latency: true, Warmup: new(1)})
		o.APIs, o.Iterations, o.Datasets = []string{result.POSIX}, new(2), new(3)
		own := &testClock{}
		_, cases := measureWith(t, world, o, mpitest.Dir(t, world), own.engines(func(s null.Step) time.Duration {
			switch {
			case s.Phase != null.Transfer:
				return 0
			case world.Rank() == 1 && s.Transfer == 5:
				return 200 * time.Millisecond
			}
			return time.Duration(1+world.Rank()) * time.Millisecond
		}), own.set)
		complete(t, "latency", cases, true)
		l := cases[0].Latencies
		if len(l) != 2 || l[0].Operation != "write" || l[1].Operation != "read" {
			t.Fatalf("latencies %+v", l)
		}
		for _, l := range l {
			count := uint64(0)
			for _, b := range l.Histogram {
				count += b.Count
			}
			if l.Count != 3*2*3*8 || count != l.Count || l.Call == "" {
				t.Errorf("%d calls of %q, %d in the histogram; want 3 ranks × 2 iterations × 3 datasets × 8", l.Count,
					l.Call, count)
			}
			// Of 24 calls, 8 take 1 ms, 7 take 2 ms, 8 take 3 ms, and one 200 ms.
			if l.Min != 0.001 || math.Abs(l.Quantiles[0].Seconds/0.002-1) > 0.004 || l.Max != 0.2 ||
				math.Abs(l.Mean*24-0.246) > 1e-9 {
				t.Errorf("min %g, median %g, mean %g, max %g", l.Min, l.Quantiles[0].Seconds, l.Mean, l.Max)
			}
			if len(l.SlowestRanks) != 3 || l.SlowestRanks[0].Rank != 1 || l.LongestCalls[0].Rank != 1 ||
				l.LongestCalls[0].Max != 0.2 || l.SlowestRanks[0].Host != "here" {
				t.Errorf("slowest %+v, longest %+v", l.SlowestRanks, l.LongestCalls)
			}
			ranks := []int{l.SlowestRanks[0].Rank, l.SlowestRanks[1].Rank, l.SlowestRanks[2].Rank}
			if !slices.Equal(ranks, []int{1, 2, 0}) {
				t.Errorf("ranks %v are named, want 1, 2 and 0", ranks)
			}
		}
	})
}

func TestEachNodeLooksForWhatItReads(t *testing.T) {
	mpitest.InMemory(t, mpi.MemoryJobOptions{Node: func(rank int) int { return rank / 2 }}, 4, func(world mpi.Comm) {
		for _, row := range []struct {
			name          string
			change        func(*plan.Options)
			highest, mean float64
		}{
			{"own", func(*plan.Options) {}, 1, 0.5},
			{"collective", func(o *plan.Options) { o.Collective = true }, 1, 0.5},
			{"collective, interleaved", func(o *plan.Options) { o.Collective, o.Interleaved = true, true }, 0.5, 0.5},
		} {
			o := small(world, option.Conditions{})
			o.Verify, o.BlockSize = false, new(uint64(4<<10))
			row.change(&o)
			// The null engine leaves holes, except for the page with the last byte of each rank. So the page cache
			// holds little more than the data that are written here: the parts of ranks 2 and 3.
			_, cases := measure(t, world, o, mpitest.Dir(t, world), nullEngines(null.Options{
				Fail: func(s null.Step) error {
					if s.Phase != null.Close || s.Op != workload.Write || world.Rank() != 0 {
						return nil
					}
					part := make([]byte, 2**o.BytesPerProcess)
					f, err := os.OpenFile(s.Path, os.O_WRONLY, 0)
					if err != nil {
						return err
					}
					_, err = f.WriteAt(part, int64(len(part)))
					return errors.Join(err, f.Close())
				},
			}))
			complete(t, row.name, cases, false)
			for _, c := range cases {
				seen := c.Samples[1].Cache
				if seen.MaxResident != row.highest || math.Abs(seen.MeanResident-row.mean) > 0.05 ||
					seen.Uncertainty != 0 {
					t.Errorf("%s, %s: %+v, want at most %v, on average %v",
						row.name, c.API, seen, row.highest, row.mean)
				}
			}
		}
	})
}

// collectivePreparing is an engine whose Prepare is collective, and then fails on rank 0.
type collectivePreparing struct{ engine.Engine }

func (e collectivePreparing) Prepare(env engine.Env, p workload.Program) (engine.Session, error) {
	env.Comm.Barrier()
	if env.Comm.Rank() == 0 {
		return nil, errors.New("no memory")
	}
	return e.Engine.Prepare(env, p)
}

// With a shift, processes prepare the role of writing, and then the role of reading.
func TestProcessesAgreeBeforeTheyPrepareToRead(t *testing.T) {
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, 2, func(world mpi.Comm) {
		o := small(world, option.Conditions{Shift: new(1)})
		o.APIs = []string{result.POSIX}
		_, cases := measure(t, world, o, mpitest.Dir(t, world), map[string]func() engine.Engine{
			result.POSIX: func() engine.Engine { return collectivePreparing{null.New(null.Options{})} },
		})
		if e := cases[0].Error; e == nil || e.Phase != result.PhasePrepare || e.Ranks != 1 || e.Message != "no memory" {
			t.Errorf("%+v, want that rank 0 has no memory to prepare", e)
		}
	})
}

// If a process failed before it makes its session without agreeing, the others would wait in theirs.
func TestProcessesAgreeBeforeTheyMakeSessions(t *testing.T) {
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, 2, func(world mpi.Comm) {
		o := small(world, option.Conditions{})
		o.APIs = []string{result.POSIX}
		engines := map[string]func() engine.Engine{}
		if world.Rank() > 0 {
			engines[result.POSIX] = func() engine.Engine { return collectivePreparing{null.New(null.Options{})} }
		}
		_, cases := measure(t, world, o, mpitest.Dir(t, world), engines)
		if e := cases[0].Error; e == nil || e.Phase != result.PhasePrepare || e.Ranks != 1 {
			t.Errorf("%+v, want that rank 0 has no engine", e)
		}
	})
}
