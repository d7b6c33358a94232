//go:build cgo && !nompi

package bench_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/engine/mpiio"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// realEngines returns the real engine of each API.
func realEngines() map[string]func() engine.Engine {
	return map[string]func() engine.Engine{result.POSIX: posix.New, result.MPIIO: mpiio.New, result.PHDF5: hdf5.New}
}

func everySyncOfEveryAPIEnds(t *testing.T, world mpi.Comm) {
	for _, when := range []option.SyncMode{option.SyncClose, option.SyncPhase, option.SyncEach} {
		for _, collective := range []bool{false, true} {
			o := small(world, option.Conditions{Sync: when})
			o.Collective, o.Datasets, o.BytesPerProcess = collective, new(2), new(uint64(16<<10))
			_, cases := measure(t, world, o, mpitest.Dir(t, world), realEngines())
			complete(t, string(when), cases, true)
			for _, c := range cases {
				s := c.Samples[0]
				sync := s.ClassInterval(workload.Sync).Max
				if sync <= 0 || s.AccessAndSync.Max < s.Access.Max || s.AccessAndSync.Max < sync {
					t.Errorf("%s, %s: sync %+v, durable %+v", when, c.API, s.ClassInterval(workload.Sync),
						s.AccessAndSync)
				}
			}
		}
	}
}

func aShiftReadsWhatAnotherRankWrote(t *testing.T, world mpi.Comm) {
	// Verification checks which rank wrote the data, so the reader's own data would fail.
	for _, row := range []struct {
		shift   int
		options plan.Options
	}{
		{1, plan.Options{}},
		{2, plan.Options{Sizes: option.Sizes{Interleaved: true}}},
		{-1, plan.Options{Sizes: option.Sizes{Interleaved: true, Collective: true}}},
		{4, plan.Options{Sizes: option.Sizes{TwoD: true, Interleaved: true, Collective: true}}},
	} {
		s, o := small(world, option.Conditions{Shift: &row.shift}), row.options
		s.Interleaved, s.Collective, s.TwoD = o.Interleaved, o.Collective, o.TwoD
		if s.TwoD {
			s.BytesPerProcess, s.BlockSize = new(uint64(512)), new(uint64(128))
			s.MinTransferSize, s.MaxTransferSize = s.BlockSize, s.BlockSize
		}
		_, cases := measure(t, world, s, mpitest.Dir(t, world), realEngines())
		complete(t, "shift", cases, true)
	}
	// If the reader gets data of its own rank, verification must fail: otherwise the test above proves nothing.
	_, cases := measure(t, world, small(world, option.Conditions{Shift: new(1)}), mpitest.Dir(t, world),
		map[string]func() engine.Engine{
			result.POSIX: func() engine.Engine { return stubborn{posix.New()} }, result.MPIIO: mpiio.New,
			result.PHDF5: hdf5.New,
		})
	e := cases[0].Error
	if e == nil || e.Phase != result.PhaseVerify || !strings.Contains(e.Message, "the block of rank 0") {
		t.Errorf("own data read in place of another rank's: %+v", e)
	}
}

// stubborn is an engine that always reads the part of its own rank.
type stubborn struct{ engine.Engine }

func (s stubborn) Prepare(env engine.Env, program workload.Program) (engine.Session, error) {
	move := program.Moves[0]
	move.Nest.Base = move.Sequence.TransferBytes() * move.Sequence.NumTransfers() * uint64(env.Comm.Rank())
	program.Moves = []workload.Move{move}
	return s.Engine.Prepare(env, program)
}

func aTimeLimitCutsRealFiles(t *testing.T, world mpi.Comm) {
	// Each reading of the clock takes longer on rank 1, so rank 0 does more transfers until the limit.
	step := time.Duration(1+world.Rank()) * time.Millisecond
	size, n := uint64(4<<10), uint64(1<<10)
	for _, o := range []plan.Options{
		{},
		{Sizes: option.Sizes{Collective: true}},
		{Sizes: option.Sizes{Interleaved: true, Collective: true}},
		{Sizes: option.Sizes{Chunked: true}},
	} {
		o.BytesPerProcess, o.MinTransferSize, o.MaxTransferSize, o.BlockSize = new(n*size), &size, &size, &size
		o.MinProcesses, o.Datasets, o.Verify, o.Keep = new(2), new(2), true, true
		if o.Chunked {
			o.ChunkSize = []uint64{1 << 20}
		}
		o.TimeLimit = new(0.02)
		dir := mpitest.Dir(t, world)
		_, cases := measureWith(t, world, o, dir, realEngines(), (&testClock{}).steps(step))
		complete(t, "limit", cases, true)
		for _, c := range cases {
			write, read := c.Samples[0], c.Samples[1]
			if write.Limit == nil || write.Bytes >= c.Bytes || read.Bytes > write.Bytes {
				t.Errorf("%s: %d of %d bytes were written, %d read, limit %+v", c.API, write.Bytes, c.Bytes,
					read.Bytes, write.Limit)
			}
			// relative to what was written, no matter how much of the file is a hole
			if !read.HasMark(result.MarkWarm) || read.Cache.MaxResident < 0.9 {
				t.Errorf("%s: page cache %+v, marks %v", c.API, read.Cache, read.Marks)
			}
			if world.Rank() != 0 || c.API == result.PHDF5 {
				continue
			}
			info, err := os.Stat(rundir.Dir{Path: dir, RunID: "test"}.DataPath("1", c.API))
			// the file ends in the second dataset
			if err != nil || uint64(info.Size()) >= c.Bytes || uint64(info.Size()) < c.Bytes/2 {
				t.Errorf("%s: a kept file of %v, %v; want it as it was written, of less than %d bytes", c.API,
					info.Size(), err, c.Bytes)
			}
		}
	}
}

func aFileOfAnotherRunIsReadAndLeftAlone(t *testing.T, world mpi.Comm) {
	for i, api := range append(plan.APIs(), result.POSIX) {
		dir := mpitest.Dir(t, world)
		write := small(world, option.Conditions{})
		write.BytesPerProcess = new(uint64(512 << 10)) // more than the buffers of a run without verification
		write.APIs, write.Keep = []string{api}, true
		write.Verify = i == len(plan.APIs()) // the last one writes from larger buffers
		write.WriteOnly = !write.Verify
		_, cases := measure(t, world, write, dir, realEngines())
		complete(t, "write", cases, write.Verify)
		path := rundir.Dir{Path: dir, RunID: "test"}.DataPath("1", api)

		read := small(world, option.Conditions{ReadOnly: path, Shift: new(1)})
		read.APIs, read.Iterations, read.BytesPerProcess = []string{api}, new(2), write.BytesPerProcess
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
}

// flip flips a bit near the end of a file.
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

func coldReadsOfEveryAPIFindNothingInThePageCache(t *testing.T, world mpi.Comm) {
	for _, cold := range []bool{true, false} {
		o := small(world, option.Conditions{Cold: cold, Order: option.OrderRandom})
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
				if s.Cache == nil || s.Cache.Method == "none" || s.HasMark(result.MarkWarm) == cold ||
					cold && s.Cache.MaxResident >= 0.01 || !cold && s.Cache.MeanResident < 0.5 {
					t.Errorf("%s, cold %v: page cache %+v, marks %v", c.API, cold, s.Cache, s.Marks)
				}
			}
		}
	}
}

// steps makes each reading of the clock advance it by step; nothing else takes time.
func (c *testClock) steps(step time.Duration) func(*bench.Config) {
	return func(cfg *bench.Config) {
		cfg.Clock = func() time.Duration {
			c.now += step
			return c.now
		}
	}
}
