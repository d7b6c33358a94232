//go:build cgo

package bench_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// posixEngines returns the engine of the only API that needs no MPI.
func posixEngines() map[string]func() engine.Engine {
	return map[string]func() engine.Engine{result.POSIX: posix.New}
}

func TestAFileOfTwoWritersIsRefused(t *testing.T) {
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, 2, func(world mpi.Comm) {
		dir := mpitest.Dir(t, world)
		write := small(world, option.Conditions{})
		write.APIs, write.WriteOnly, write.Keep, write.Verify = []string{result.POSIX}, true, true, false
		path := rundir.Dir{Path: dir, RunID: "test"}.DataPath("1", result.POSIX)
		var halves [][]byte
		for iterations := 1; iterations <= 2; iterations++ {
			write.Iterations = &iterations
			measure(t, world, write, dir, posixEngines())
			if world.Rank() == 0 {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				halves = append(halves, data[(iterations-1)*len(data)/2:iterations*len(data)/2])
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
		}
		if world.Rank() == 0 {
			if err := os.WriteFile(path, bytes.Join(halves, nil), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		world.Barrier()
		read := small(world, option.Conditions{ReadOnly: path})
		read.APIs = []string{result.POSIX}
		_, cases := measure(t, world, read, mpitest.Dir(t, world), posixEngines())
		e := cases[0].Error
		if e == nil || e.Phase != result.PhaseVerify || !strings.Contains(e.Message, "data of more than one run") {
			t.Errorf("half of iteration 1, half of 2: %+v", e)
		}
	})
}

func TestAFileSystemInMemoryIsAlwaysWarm(t *testing.T) {
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, 2, func(world mpi.Comm) {
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
		o := small(world, option.Conditions{Cold: true})
		o.APIs = []string{result.POSIX}
		_, cases := measure(t, world, o, dir, posixEngines())
		complete(t, "memory", cases, true)
		if s := cases[0].Samples[1]; !s.HasMark(result.MarkWarm) {
			t.Errorf("page cache %+v, marks %v", s.Cache, s.Marks)
		}
	})
}

// The work that processes report adds up to what the plan expects.
func TestObjectsAreReportedAsWork(t *testing.T) {
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, 2, func(world mpi.Comm) {
		o := plan.Options{Workload: &plan.WorkloadOptions{Application: option.Application{
			Workload: "metadata", Size: "tiny", APIs: []string{result.POSIX},
		}}}
		var done [2]uint64
		var c plan.Case
		_, cases := measureWith(t, world, o, mpitest.Dir(t, world), posixEngines(), func(cfg *bench.Config) {
			for c = range cfg.Arms[0].Plan.Cases() {
			}
			cfg.Enter = func(w bench.Activity) {
				for _, op := range []workload.Op{workload.Write, workload.Read} {
					if w.Operation == plan.OperationOf(op) {
						done[op] = max(done[op], w.Done)
					}
				}
			}
		})
		complete(t, "objects", cases, false)
		for op := range done {
			mpi.SumInPlace(world, &done[op])
			if want := c.OperationBytes(workload.Op(op)); done[op] != want || want < 400*plan.ObjectBytes {
				t.Errorf("%s: work of %d bytes, want %d", workload.Op(op), done[op], want)
			}
		}
	})
}

// Objects that are files of their own are warm right after they were created. When their data were dropped from the
// page cache, it is not known whether their names were, too.
func TestObjectsThatAreFilesAreWarmLikeOtherFiles(t *testing.T) {
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, 2, func(world mpi.Comm) {
		for _, c := range []struct {
			kind, mode, objects string
			cold, warm          bool
		}{
			{"scalar", "collective", "1200", false, true}, // of which a sample is examined
			{"chunked", "root", "100", false, true},
			{"soft_link", "file_per_rank", "100", false, true},
			{"scalar", "collective", "400", true, false},
		} {
			o := plan.Options{Workload: &plan.WorkloadOptions{Application: option.Application{
				Workload: "metadata", Size: "tiny", APIs: []string{result.POSIX},
				Set: map[string]string{"kind": c.kind, "mode": c.mode, "objects": c.objects},
			}}}
			o.Cold = c.cold
			_, cases := measure(t, world, o, mpitest.Dir(t, world), posixEngines())
			complete(t, c.kind, cases, false)
			s := cases[0].Samples[1]
			if ratio, known := s.ResidentRatio(); s.HasMark(result.MarkWarm) != c.warm || known != c.warm ||
				known && ratio < 0.9 {
				t.Errorf("%+v: page cache %+v, marks %v", c, s.Cache, s.Marks)
			}
			if !c.warm && !strings.Contains(s.Cache.Reason, "whose names may be in memory") {
				t.Errorf("%+v: page cache %+v", c, s.Cache)
			}
			if cases[0].Samples[0].HasMark(result.MarkWarm) {
				t.Errorf("%+v: a write is warm", c)
			}
		}
	})
}

func TestAStrictRunTakesNoReadFromMemory(t *testing.T) {
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, 2, func(world mpi.Comm) {
		p := small(world, option.Conditions{})
		p.APIs = []string{result.POSIX}
		strict := func(cfg *bench.Config) { cfg.Arms[0].Plan.Parameters.Conditions.Preset = option.PresetStrict }
		_, cases := measureWith(t, world, p, mpitest.Dir(t, world), posixEngines(), strict)
		c := cases[0]
		if c.State != result.Failed ||
			!strings.Contains(c.Error.Message, "100 % of the file was in the page cache") ||
			len(c.Samples) != 1 {
			t.Errorf("a warm read: %s, %+v, %d samples; want the write alone", c.State, c.Error, len(c.Samples))
		}
		p.Cold = true
		_, cases = measureWith(t, world, p, mpitest.Dir(t, world), posixEngines(), strict)
		complete(t, "cold", cases, true)
		objects := plan.Options{Workload: &plan.WorkloadOptions{Application: option.Application{
			Workload: "metadata", Size: "tiny", Set: map[string]string{"kind": "group"}, APIs: []string{result.POSIX},
		}}}
		objects.Cold = true
		_, cases = measureWith(t, world, objects, mpitest.Dir(t, world), posixEngines(), strict)
		if c := cases[0]; c.State != result.Failed || len(c.Samples) != 1 ||
			!strings.Contains(c.Error.Message, "in the page cache is unknown: the objects are files of their own") {
			t.Errorf("a read of unknown files: %s, %+v, %d samples; want the write alone", c.State, c.Error,
				len(c.Samples))
		}
	})
}
