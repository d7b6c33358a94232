//go:build cgo && !nompi

package bench_test

import (
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/test/scripttest"
	"h5perf/pkg/workload"
)

// Each script ends either with an error before a data file is created, the same on all ranks, or with verified data for
// all APIs.
func TestScriptsOfAGrammarEndOnThreeProcesses(t *testing.T) {
	for first := uint64(0); first < scripts; first += scriptsOfAJob {
		t.Run(fmt.Sprint("from ", first), func(t *testing.T) {
			mpitest.Parallel(t, scripttest.Ranks, func(t *testing.T, world mpi.Comm) {
				scriptsEnd(t, world, first)
			})
		})
	}
}

// scriptsOfAJob is the number of scripts that run in one job.
const scriptsOfAJob = 200

// scriptTime is the time limit of a script. On an idle machine a script takes a tenth of a second.
const scriptTime = time.Minute

// scriptsEnd runs scriptsOfAJob scripts one after another, starting at number first.
func scriptsEnd(t *testing.T, world mpi.Comm, first uint64) {
	dir := hold(t, memoryDir(t, world))
	ran := 0
	for seed := first; seed < first+scriptsOfAJob; seed++ {
		if scriptEnds(t, world, dir, seed, scripttest.Script(seed, scripttest.Small)) {
			ran++
		}
	}
	if world.Rank() == 0 {
		t.Logf("%d of %d scripts have run", ran, scriptsOfAJob)
	}
	if ran < scriptsOfAJob/2 {
		t.Error("too few scripts have run: the grammar knows less than the language")
	}
}

// scriptEnds runs script number seed, and reports whether the script was accepted. It ends the job if that takes too
// long.
func scriptEnds(t *testing.T, world mpi.Comm, dir *rundir.OpenDir, seed uint64, text string) bool {
	t.Helper()
	late := time.AfterFunc(scriptTime, func() {
		t.Logf("rank %d: script %d is not done after %v:\n%s", world.Rank(), seed, scriptTime, text)
		_ = pprof.Lookup("goroutine").WriteTo(os.Stdout, 2) // shows where it waits
		os.Exit(1)
	})
	run, err := runScript(t, world, dir, seed, text, plan.APIs())
	if late.Stop(); err != nil && world.Rank() == 0 {
		t.Errorf("script %d: %v\n%s", seed, err, text)
	}
	return run
}

// onOneProcess is a script in which ranks do steps by themselves, in files in which all ranks transfer together before
// and after.
const alone = `"""Ranks transfer alone between collective transfers."""
def write(job):
    f, g = job.create("f"), job.create("g")
    d = f.create_dataset(numbered("d%d", 2), "f8", 24)
    e = g.create_dataset("e", "f8", (6, 4))
    if job.rank == 1:
        d.write(everything())
    d.write(random(seed = 2), collective = True)
    e.write(block(), collective = True)
    if job.rank == 0:
        d.write(everything())
    if job.rank == 2:
        d.write(everything(), select = "runs")
        e.write(everything())
    e.write(slab(), collective = True)
    d.write(nothing(), collective = True)
    d.write(map(dim = 0, length = 2, seed = 1), select = "runs")
    f.close()
    g.close()

def read(job):
    f = job.open("f")
    d = f[numbered("d%d", 2)]
    for seed in range(2):
        d.read(random(seed = seed), collective = True)
        if job.rank == seed:
            d.read(everything())
    d.read(block(), collective = True)
    f.close()
`

func TestRanksTransferAloneBetweenCollectiveTransfers(t *testing.T) {
	mpitest.Parallel(t, scripttest.Ranks, func(t *testing.T, world mpi.Comm) {
		dir := hold(t, memoryDir(t, world))
		for seed := range uint64(2) { // ranks read their own data, and the data of others
			if !scriptEnds(t, world, dir, seed, alone) {
				t.Error("refused")
			}
		}
	})
}

// otherOrder is a script in which rank 0 writes a file, and rank 1 changes and reads only its last dataset.
const otherOrder = `"""A rank opens only some datasets of another one."""
def write(job):
    if job.rank == 0:
        f = job.create("f", alone = True)
        f.create_dataset("a", "f8", 10).write(everything())
        f.create_dataset("b", "i4", 20).write(everything())
        f.close()
    job.fence()
    if job.rank == 1:
        f = job.open("f", alone = True)
        f.open_dataset("b", "i4", 20).write(everything())
        f.close()

def read(job):
    job.dump()
    if job.rank == 1:
        f = job.open("f", alone = True)
        f.open_dataset("b", "i4", 20).read(everything())
        f.close()
`

// HDF5 finds datasets by name, but in plain files their place depends on the order in which a rank uses them.
func TestDatasetsInAnotherOrderAreMeasuredWithHDF5Alone(t *testing.T) {
	mpitest.Parallel(t, scripttest.Ranks, func(t *testing.T, world mpi.Comm) {
		dir := hold(t, memoryDir(t, world))
		for _, api := range plan.APIs() {
			run, err := runScript(t, world, dir, 0, otherOrder, []string{api})
			if err != nil || run != (api == result.PHDF5) {
				t.Errorf("%s: run %v, %v", api, run, err)
			}
		}
	})
}

// memoryDir returns a new, empty directory, the same on all processes: in memory if possible, otherwise on disk.
func memoryDir(t *testing.T, world mpi.Comm) string {
	t.Helper()
	dir := mpitest.Dir(t, world)
	if world.Rank() == 0 {
		if in, err := os.MkdirTemp("/dev/shm", "h5perf"); err == nil { //nolint:usetesting // in memory
			t.Cleanup(func() { _ = os.RemoveAll(in) })
			dir = in
		}
	}
	return mpi.Broadcast(world, dir, 0)
}

// runScript runs a script with some APIs. run reports whether the script was accepted. err says what is wrong. Both are
// the same on all ranks.
func runScript(
	t *testing.T, world mpi.Comm, dir *rundir.OpenDir, seed uint64, text string, apis []string,
) (run bool, err error) {
	t.Helper()
	stop, err := engine.NewStopFlag()
	if err != nil {
		return false, err
	}
	p, refusal := planOfScript(world, seed, text, apis)
	arm := bench.Arm{Plan: p, Engines: realEngines(), Dir: dir}
	if none, err := agreedRefusal(world, refusal); err != nil {
		return false, err
	} else if none {
		refusal = bench.CheckPrograms(world, func() (workload.Program, error) {
			return p.Workload.Program(uint64(world.Rank()), uint64(world.Size()))
		}, slices.ContainsFunc(apis, func(api string) bool { return result.APIOf(api).PlainFiles }))
	}
	if _, err := agreedRefusal(world, refusal); err != nil {
		return false, err
	}
	if refusal == nil {
		refusal = triedOut(world, arm, stop)
	}
	switch {
	case refusal == nil:
		err = runsAllCases(t, world, arm, stop, len(apis))
	case world.Rank() == 0:
		t.Logf("script %d is refused: %v", seed, refusal)
	}
	world.Barrier()
	left, e := os.ReadDir(dir.Path)
	if e != nil || len(left) > 0 {
		err = errors.Join(err, fmt.Errorf("left in the directory: %v, %w", left, e))
	}
	world.Barrier()
	return refusal == nil, err
}

// planOfScript plans a script, whose data are verified.
func planOfScript(world mpi.Comm, seed uint64, text string, apis []string) (plan.Plan, error) {
	return plan.New(plan.Options{
		Workload: &plan.WorkloadOptions{
			Application: option.Application{Workload: "chance.star", APIs: apis}, Text: []byte(text),
		},
		Common: option.Common{Conditions: option.Conditions{Shift: new(int(seed % 2))}},
		Verify: true,
	}, plan.JobFacts{Processes: world.Size(), Nodes: scripttest.Nodes, HDF5: hdf5.Library()})
}

// compact is a script with a dataset in an object header, which all ranks write alike.
const compact = `"""All ranks write a compact dataset."""
def write(job):
    f = job.create("f")
    f.create_dataset("d", "f8", 24, compact = True).write(everything(), collective = True)
    f.close()

def read(job):
    f = job.open("f")
    f["d"].read(everything())
    f.close()
`

// differing is an engine that writes other values on each rank, all of them wrong.
type differing struct{ engine.Engine }

type differingSession struct {
	engine.Session
	program workload.Program
	rank    int
}

func (e differing) Prepare(env engine.Env, program workload.Program) (engine.Session, error) {
	s, err := e.Engine.Prepare(env, program)
	return differingSession{s, program, env.Comm.Rank()}, err
}

func (s differingSession) Do(b *workload.Batch) error {
	if b.Class == workload.Transfer && b.Op == workload.Write {
		pool := s.program.Moves[b.Move].Buffer.Pool
		pool[0] ^= byte(1 << s.rank)
		defer func() { pool[0] ^= byte(1 << s.rank) }()
	}
	return s.Session.Do(b)
}

// A script cannot write different values to a compact dataset (see testdata/steps.txtar of the scripts). If a library
// or a bug does so, whatever rank's header is in the file, the verification finds it.
func TestDifferentValuesInACompactDatasetAreFound(t *testing.T) {
	mpitest.Parallel(t, scripttest.Ranks, func(t *testing.T, world mpi.Comm) {
		dir := hold(t, memoryDir(t, world))
		stop, err := engine.NewStopFlag()
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range []bool{false, true} {
			p, err := planOfScript(world, 0, compact, []string{result.PHDF5})
			if err != nil {
				t.Fatal(err)
			}
			engines := realEngines()
			if wrong {
				engines[result.PHDF5] = func() engine.Engine { return differing{hdf5.New()} }
			}
			err = runsAllCases(t, world, bench.Arm{Plan: p, Engines: engines, Dir: dir}, stop, 1)
			if found := err != nil && strings.Contains(err.Error(), "1 bytes differ"); found != wrong {
				t.Errorf("wrong values %v: %v", wrong, err)
			}
		}
	})
}

// triedOut returns the error of bench.TryOut on all ranks.
func triedOut(world mpi.Comm, arm bench.Arm, stop *engine.StopFlag) error {
	text := ""
	if world.Rank() == 0 {
		if err := bench.TestLibraries(arm, world, stop); err != nil {
			text = err.Error()
		}
	}
	if text = mpi.Broadcast(world, text, 0); text != "" {
		return errors.New(text)
	}
	return nil
}

// agreedRefusal reports whether no rank has refused a script. It returns an error if ranks have different refusals, or
// if the refusal names no place in the script.
func agreedRefusal(world mpi.Comm, refusal error) (none bool, err error) {
	var all []string
	for _, text := range world.Gather(fmt.Append(nil, refusal)) {
		all = append(all, string(text))
	}
	all = mpi.Broadcast(world, all, 0)
	for rank, text := range all {
		if text != all[0] {
			return false, fmt.Errorf("rank 0 says %q, but rank %d %q", all[0], rank, text)
		}
	}
	if refusal == nil {
		return true, nil
	}
	for _, place := range []string{"chance.star:", "line "} {
		if strings.Contains(all[0], place) {
			return false, nil
		}
	}
	return false, fmt.Errorf("an error without a place: %w", refusal)
}

// runsAllCases runs a plan with the given number of APIs, and returns, on all ranks, an error if a case is not
// complete, verified and with samples.
func runsAllCases(t *testing.T, world mpi.Comm, arm bench.Arm, stop *engine.StopFlag, apis int) (err error) {
	t.Helper()
	seen := newTrace()
	arm.Observer = seen
	state := bench.Run(bench.Config{
		Arms: []bench.Arm{arm}, World: world, Stop: stop, Now: time.Now, Clock: bench.NodeClock, Host: "here",
		Grace: scriptTime, Abort: func(e result.Error) { t.Fatalf("abort: %v", e.Message) },
	})
	cases := mpi.Broadcast(world, seen.cases, 0)
	if len(cases) != apis {
		err = fmt.Errorf("%s with %d cases", state, len(cases))
	}
	for _, c := range cases {
		if c.State != result.Complete || !c.Verified || len(c.Samples) == 0 {
			err = errors.Join(err, fmt.Errorf("%s: %s, verified %v, %d samples, %s", c.API, c.State, c.Verified,
				len(c.Samples), message(c)))
		}
	}
	return err
}

func message(c result.Case) string {
	if c.Error == nil {
		return "no error"
	}
	return c.Error.Message
}
