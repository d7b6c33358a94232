//go:build cgo && !nompi

package bench_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/engine/mpiio"
	"h5perf/pkg/engine/null"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/mpi"
	"h5perf/pkg/mpi/mpitest"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
)

// small is a run of every API with eight transfers of each process and verification, with all processes.
func small(world mpi.Comm, c plan.Conditions) plan.Options {
	size := uint64(8 << 10)
	return plan.Options{
		BytesPerProcess: new(8 * size), MinTransfer: &size, MaxTransfer: &size, Block: &size,
		MinProcesses: new(world.Size()), Verify: true, Conditions: c,
	}
}

// realEngines are those of the APIs.
func realEngines() map[string]func() engine.Engine {
	return map[string]func() engine.Engine{result.POSIX: posix.New, result.MPIIO: mpiio.New, result.PHDF5: hdf5.New}
}

// nullEngines are null engines in place of all APIs.
func nullEngines(o null.Options) map[string]func() engine.Engine {
	e := func() engine.Engine { return null.New(o) }
	return map[string]func() engine.Engine{result.POSIX: e, result.MPIIO: e, result.PHDF5: e}
}

// measure runs options on all processes, in a directory, and returns the state and the cases that ended to each of
// them.
func measure(
	t *testing.T, world mpi.Comm, o plan.Options, dir string, engines map[string]func() engine.Engine,
) (result.State, []result.Case) {
	t.Helper()
	return measureArm(t, world, o, dir, engines, func(*bench.Arm) {})
}

// measureArm is measure with an arm that is changed before.
func measureArm(
	t *testing.T, world mpi.Comm, o plan.Options, dir string, engines map[string]func() engine.Engine,
	change func(*bench.Arm),
) (result.State, []result.Case) {
	t.Helper()
	p, err := plan.New(o, plan.Job{Processes: world.Size()})
	if err != nil {
		t.Fatal(err)
	}
	stop, err := engine.NewStop()
	if err != nil {
		t.Fatal(err)
	}
	seen := newTrace()
	arm := bench.Arm{Plan: p, Engines: engines, Dir: rundir.Dir{Path: dir, RunID: "test"}, Observer: seen}
	change(&arm)
	state := bench.Run(bench.Config{
		Arms: []bench.Arm{arm}, World: world, Stop: stop, Now: time.Now, Host: "here",
		Abort: func(e result.Error) { t.Fatalf("abort: %v", e.Message) },
	})
	return state, mpi.Broadcast(world, seen.cases, 0)
}

// complete fails the test unless all cases are.
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
	mpitest.Parallel(t, 4, func(t *testing.T, world mpi.Comm) {
		o := plan.Options{
			Iterations: new(3), MinTransfer: new(uint64(256 << 10)),
			Conditions: plan.Conditions{Order: result.OrderRandom, Seed: new(uint64(3))},
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

func TestEverySyncOfEveryAPIEnds(t *testing.T) {
	mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
		for _, when := range []result.Sync{result.SyncClose, result.SyncPhase, result.SyncEach} {
			for _, collective := range []bool{false, true} {
				o := small(world, plan.Conditions{Sync: when})
				o.Collective, o.Datasets = collective, new(2)
				_, cases := measure(t, world, o, mpitest.Dir(t, world), realEngines())
				complete(t, string(when), cases, true)
				for _, c := range cases {
					s := c.Samples[0]
					if s.Sync == nil || s.Sync.Max <= 0 || s.Durable.Max < s.Access.Max || s.Durable.Max < s.Sync.Max {
						t.Errorf("%s, %s: sync %+v, durable %+v", when, c.API, s.Sync, s.Durable)
					}
				}
			}
		}
	})
}

func TestASyncThatFailsOnOneProcessLeavesNoneWaiting(t *testing.T) {
	mpitest.Parallel(t, 3, func(t *testing.T, world mpi.Comm) {
		for _, when := range []result.Sync{result.SyncClose, result.SyncPhase, result.SyncEach} {
			for _, collective := range []bool{false, true} {
				o := small(world, plan.Conditions{Sync: when})
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

func TestAShiftReadsWhatAnotherRankWrote(t *testing.T) {
	// Verification knows which rank wrote: own data would not pass.
	mpitest.Parallel(t, 3, func(t *testing.T, world mpi.Comm) {
		for _, row := range []struct {
			shift   int
			options plan.Options
		}{
			{1, plan.Options{}},
			{2, plan.Options{Interleaved: true}},
			{-1, plan.Options{Interleaved: true, Collective: true}},
			{4, plan.Options{TwoD: true, Interleaved: true, Collective: true}},
		} {
			s, o := small(world, plan.Conditions{Shift: &row.shift}), row.options
			s.Interleaved, s.Collective, s.TwoD = o.Interleaved, o.Collective, o.TwoD
			if s.TwoD {
				s.BytesPerProcess, s.Block = new(uint64(512)), new(uint64(128))
				s.MinTransfer, s.MaxTransfer = s.Block, s.Block
			}
			_, cases := measure(t, world, s, mpitest.Dir(t, world), realEngines())
			complete(t, "shift", cases, true)
		}
		// If the reader gets the data of its own rank, verification must fail: otherwise the test above proves nothing.
		_, cases := measure(t, world, small(world, plan.Conditions{Shift: new(1)}), mpitest.Dir(t, world),
			map[string]func() engine.Engine{
				result.POSIX: func() engine.Engine { return stubborn{posix.New()} }, result.MPIIO: mpiio.New,
				result.PHDF5: hdf5.New,
			})
		e := cases[0].Error
		if e == nil || e.Phase != result.PhaseVerify || !strings.Contains(e.Message, "the block of rank 0") {
			t.Errorf("own data read in place of another rank's: %+v", e)
		}
	})
}

// stubborn is an engine that always reads the part of its own rank.
type stubborn struct{ engine.Engine }

func (s stubborn) Prepare(spec engine.Spec) (engine.Session, error) {
	first := spec.Sequence.TransferBytes() * spec.Sequence.Transfers() * uint64(spec.Comm.Rank())
	spec.Nest.Base = first
	return s.Engine.Prepare(spec)
}

func TestATimeLimitHoldsForUnequalProcesses(t *testing.T) {
	mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
		const limit = 60 * time.Millisecond
		size, n := uint64(1<<10), uint64(100000)
		for _, c := range []struct{ collective, each bool }{{}, {collective: true}, {each: true}, {true, true}} {
			o := plan.Options{
				APIs: []string{result.MPIIO}, BytesPerProcess: new(n * size), MinTransfer: &size, MaxTransfer: &size,
				Block:        &size,
				MinProcesses: new(2), Collective: c.collective, Datasets: new(2), Verify: true,
				Conditions: plan.Conditions{TimeLimit: new(limit)},
			}
			if c.each {
				o.Conditions.Sync = "each"
			}
			_, cases := measure(t, world, o, mpitest.Dir(t, world),
				nullEngines(null.Options{Delay: func(engine.Op, uint64) time.Duration {
					return time.Duration(1+9*world.Rank()) * 100 * time.Microsecond
				}}))
			complete(t, "limit", cases, true)
			write, read := cases[0].Samples[0], cases[0].Samples[1]
			l := write.Limit
			if l == nil || write.Bytes != 2*size*l.Transfers || l.LimitBytes > write.Bytes ||
				write.Bytes >= cases[0].Bytes || l.PlannedBytes != cases[0].Bytes {
				t.Fatalf("%+v: write of %d bytes, limit %+v", c, write.Bytes, l)
			}
			if l.AtLimit.Max < limit.Seconds() && !c.each ||
				!c.collective && !c.each && (l.LimitBytes == write.Bytes || write.Transfer.Max < 1.5*l.AtLimit.Max) {
				t.Errorf("%+v: %+v, all transfers in %+v: want the slow process to go on to what the fast one did", c,
					l, write.Transfer)
			}
			if read.Bytes > write.Bytes || read.Bytes == 0 {
				t.Errorf("%+v: %d bytes were read of %d written", c, read.Bytes, write.Bytes)
			}
		}
	})
}

func TestATimeLimitOfRealFiles(t *testing.T) {
	mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
		size, n := uint64(4<<10), uint64(16<<10)
		for _, o := range []plan.Options{
			{},
			{Collective: true},
			{Interleaved: true, Collective: true},
			{Chunked: true},
		} {
			o.BytesPerProcess, o.MinTransfer, o.MaxTransfer, o.Block = new(n*size), &size, &size, &size
			o.MinProcesses, o.Datasets, o.Verify, o.Conditions.Keep = new(2), new(2), true, true
			if o.Chunked {
				o.ChunkSize = []uint64{1 << 20}
			}
			o.Conditions.TimeLimit = new(20 * time.Millisecond)
			dir := mpitest.Dir(t, world)
			_, cases := measure(t, world, o, dir, realEngines())
			complete(t, "limit", cases, true)
			for _, c := range cases {
				write, read := c.Samples[0], c.Samples[1]
				if write.Limit == nil || write.Bytes >= c.Bytes || read.Bytes > write.Bytes {
					t.Errorf("%s: %d of %d bytes were written, %d read, limit %+v", c.API, write.Bytes, c.Bytes,
						read.Bytes, write.Limit)
				}
				// of what was written, however much of the file is a hole
				if !read.Has(result.Warm) || read.Cache.Highest < 0.9 {
					t.Errorf("%s: page cache %+v, marks %v", c.API, read.Cache, read.Marks)
				}
				if world.Rank() != 0 || c.API == result.PHDF5 {
					continue
				}
				info, err := os.Stat(rundir.Dir{Path: dir}.File(1, c.API))
				// it ends in the second dataset
				if err != nil || uint64(info.Size()) >= c.Bytes || uint64(info.Size()) < c.Bytes/2 {
					t.Errorf("%s: a kept file of %v, %v; want it as it was written, of less than %d bytes", c.API,
						info.Size(), err, c.Bytes)
				}
			}
		}
	})
}

func TestAFileOfAnotherRunIsReadAndLeftAlone(t *testing.T) {
	mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
		for _, api := range plan.APIs() {
			dir := mpitest.Dir(t, world)
			write := small(world, plan.Conditions{})
			write.APIs, write.WriteOnly, write.Conditions.Keep, write.Verify = []string{api}, true, true, false
			_, cases := measure(t, world, write, dir, realEngines())
			complete(t, "write", cases, false)
			path := rundir.Dir{Path: dir}.File(1, api)

			read := small(world, plan.Conditions{ReadOnly: path, Shift: new(1)})
			read.APIs, read.Iterations = []string{api}, new(2)
			_, cases = measure(t, world, read, mpitest.Dir(t, world), realEngines())
			complete(t, "read", cases, true)
			if s := cases[0].Samples; len(s) != 2 || s[0].Operation != "read" || s[1].Operation != "read" {
				t.Errorf("%s: samples %+v, want two reads", api, s)
			}

			larger := read
			larger.BytesPerProcess = new(uint64(1 << 20))
			_, cases = measure(t, world, larger, mpitest.Dir(t, world), realEngines())
			e := cases[0].Error
			if e == nil || e.Phase != "check" || !strings.Contains(e.Message, "with which it was written") {
				t.Errorf("%s: a file that is too small: %+v", api, e)
			}

			if world.Rank() == 0 {
				flip(t, path)
			}
			world.Barrier()
			_, cases = measure(t, world, read, mpitest.Dir(t, world), realEngines())
			e = cases[0].Error
			if e == nil || e.Phase != result.PhaseVerify || !strings.Contains(e.Message, "1 bit differs") {
				t.Errorf("%s: a flipped bit: %+v", api, e)
			}
			if world.Rank() == 0 {
				if _, err := os.Stat(path); err != nil {
					t.Errorf("the file that was read: %v", err)
				}
			}
			world.Barrier()
		}
	})
}

// flip flips a bit far into a file.
func flip(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-2000] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAFileOfTwoWritersIsRefused(t *testing.T) {
	mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
		dir := mpitest.Dir(t, world)
		write := small(world, plan.Conditions{})
		write.APIs, write.WriteOnly, write.Conditions.Keep, write.Verify = []string{result.POSIX}, true, true, false
		path := rundir.Dir{Path: dir}.File(1, result.POSIX)
		var halves [][]byte
		for iterations := 1; iterations <= 2; iterations++ {
			write.Iterations = &iterations
			measure(t, world, write, dir, realEngines())
			if world.Rank() == 0 {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				halves = append(halves, data[(iterations-1)*len(data)/2:iterations*len(data)/2])
			}
		}
		if world.Rank() == 0 {
			if err := os.WriteFile(path, bytes.Join(halves, nil), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		world.Barrier()
		read := small(world, plan.Conditions{ReadOnly: path})
		read.APIs = []string{result.POSIX}
		_, cases := measure(t, world, read, mpitest.Dir(t, world), realEngines())
		e := cases[0].Error
		if e == nil || e.Phase != result.PhaseVerify || !strings.Contains(e.Message, "several writers") {
			t.Errorf("half of iteration 1, half of 2: %+v", e)
		}
	})
}

func TestLatenciesOfAllProcessesAreMergedAndTheSlowestNamed(t *testing.T) {
	mpitest.Parallel(t, 3, func(t *testing.T, world mpi.Comm) {
		o := small(world, plan.Conditions{Latency: true, Warmup: new(1)})
		o.APIs, o.Iterations, o.Datasets = []string{result.POSIX}, new(2), new(3)
		_, cases := measure(t, world, o, mpitest.Dir(t, world),
			nullEngines(null.Options{Delay: func(_ engine.Op, transfer uint64) time.Duration {
				if world.Rank() == 1 && transfer == 5 {
					return 200 * time.Millisecond
				}
				return time.Duration(1+world.Rank()) * time.Millisecond
			}}))
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
			if l.Min < 0.001 || l.Quantiles[0].Seconds < 0.002*0.996 || l.Max < 0.2 || l.Mean < l.Min ||
				l.Mean > l.Max {
				t.Errorf("min %g, median %g, mean %g, max %g", l.Min, l.Quantiles[0].Seconds, l.Mean, l.Max)
			}
			if len(l.Slowest) != 3 || l.Slowest[0].Rank != 1 || l.SlowestMax[0].Rank != 1 ||
				l.SlowestMax[0].Max < 0.2 || l.Slowest[0].Host != "here" {
				t.Errorf("slowest %+v, longest %+v", l.Slowest, l.SlowestMax)
			}
			ranks := []int{l.Slowest[0].Rank, l.Slowest[1].Rank, l.Slowest[2].Rank}
			if slices.Sort(ranks); !slices.Equal(ranks, []int{0, 1, 2}) {
				t.Errorf("ranks %v are named", ranks)
			}
		}
	})
}

func TestColdReadsOfEveryAPIFindNothingInThePageCache(t *testing.T) {
	mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
		for _, cold := range []bool{true, false} {
			o := small(world, plan.Conditions{Cold: cold, Order: result.OrderRandom})
			o.Iterations, o.Files = new(2), new(2)
			_, cases := measure(t, world, o, mpitest.Dir(t, world), realEngines())
			complete(t, "cold", cases, true)
			for _, c := range cases {
				for _, s := range c.Samples {
					if s.Operation == "write" {
						if s.Cache != nil {
							t.Errorf("%s: a write tells of the page cache", c.API)
						}
						continue
					}
					if s.Cache == nil || s.Cache.Method == "none" || s.Has(result.Warm) == cold ||
						cold && s.Cache.Highest >= 0.01 || !cold && s.Cache.Mean < 0.5 {
						t.Errorf("%s, cold %v: page cache %+v, marks %v", c.API, cold, s.Cache, s.Marks)
					}
				}
			}
		}
	})
}

func TestAFileSystemInMemoryIsAlwaysWarm(t *testing.T) {
	mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
		dir := ""
		if world.Rank() == 0 {
			var err error
			//nolint:usetesting // t.TempDir is on a disk
			if dir, err = os.MkdirTemp("/dev/shm", "h5perf-test-"); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = os.RemoveAll(dir) }()
		}
		dir = string(world.Bcast([]byte(dir), 0))
		o := small(world, plan.Conditions{Cold: true})
		o.APIs = []string{result.POSIX}
		_, cases := measure(t, world, o, dir, realEngines())
		complete(t, "memory", cases, true)
		if s := cases[0].Samples[1]; !s.Has(result.Warm) {
			t.Errorf("page cache %+v, marks %v", s.Cache, s.Marks)
		}
	})
}

func TestAStrictRunTakesNoReadFromMemory(t *testing.T) {
	mpitest.Parallel(t, 2, func(t *testing.T, world mpi.Comm) {
		p := small(world, plan.Conditions{})
		p.APIs = []string{result.POSIX}
		strict := func(a *bench.Arm) { a.Plan.Parameters.Conditions.Profile = "strict" }
		_, cases := measureArm(t, world, p, mpitest.Dir(t, world), realEngines(), strict)
		c := cases[0]
		if c.State != result.Failed ||
			!strings.Contains(c.Error.Message, "read from memory: 100 % of the file was in the page cache") ||
			len(c.Samples) != 1 {
			t.Errorf("a warm read: %s, %+v, %d samples; want the write alone", c.State, c.Error, len(c.Samples))
		}
		p.Conditions.Cold = true
		_, cases = measureArm(t, world, p, mpitest.Dir(t, world), realEngines(), strict)
		complete(t, "cold", cases, true)
	})
}
