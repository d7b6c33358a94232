package bench_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
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

// inTurns is the script of a workload whose ranks, in two groups, write and read files in turns.
const inTurns = `"""Files that ranks of two groups write and read in turns."""
def write(job):
    job.dump()

    def fill(group):
        silo = job.create("silo_%d" % group)
        mine = silo.create_group(numbered("rank%d", job.deal(job.ranks)))
        v = mine.create_dataset("v", "f8", 100)
        all = silo.create_dataset("all", "f8", 120)
        v.write(everything())
        all.write(slab())
        close(v, all, mine, silo)

    job.turns(fill, groups = 2)

def read(job):
    job.dump()

    def fetch(group):
        silo = job.open("silo_%d" % group)
        mine = silo[numbered("rank%d", job.deal(job.ranks))]
        v = mine["v"]
        all = silo["all"]
        v.read(everything())
        all.read(slab())
        close(v, all, mine, silo)

    job.turns(fetch, groups = 2)

def close(*handles):
    for h in handles:
        h.close()
`

// turnsPlan returns the plan of inTurns.
func turnsPlan(t *testing.T, dir string, o plan.Options, processes int) plan.Plan {
	t.Helper()
	o.Workload.Workload = filepath.Join(dir, "turns.star")
	p, err := plan.New(o, plan.JobFacts{Processes: processes})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// writeTurns writes a script into a new directory, and returns the directory.
func writeTurns(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "turns.star"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// turnGrace is how long a rank that fails or stops waits for the others.
const turnGrace = time.Hour

// turn is an open or a close of a file on a rank.
type turn struct {
	rank  int
	phase null.Phase
	path  string
}

// takeTurns runs inTurns with 5 ranks: ranks 0 to 2 form one band, ranks 3 and 4 another. The engine of each rank calls
// fail before a step. If a rank ends the job, the state is empty and the case has the error.
func takeTurns(
	t *testing.T, fail func(rank int, stops []*engine.StopFlag, s null.Step) error,
) (state result.State, c result.Case, turns []turn) {
	t.Helper()
	return takeSteps(t, inTurns, fail)
}

// takeSteps is takeTurns with another script.
func takeSteps(
	t *testing.T, text string, fail func(rank int, stops []*engine.StopFlag, s null.Step) error,
) (state result.State, c result.Case, turns []turn) {
	t.Helper()
	dir := writeTurns(t, text)
	synctest.Test(t, func(t *testing.T) {
		start, out := time.Now(), t.TempDir()
		var mu sync.Mutex
		stops := make([]*engine.StopFlag, 5)
		for i := range stops {
			var err error
			if stops[i], err = engine.NewStopFlag(); err != nil {
				t.Fatal(err)
			}
		}
		mpitest.InMemory(t, mpi.MemoryJobOptions{Aborted: func(int, int, error) {}}, 5, func(world mpi.Comm) {
			p := turnsPlan(t, dir, plan.Options{
				Workload: &plan.WorkloadOptions{Application: option.Application{APIs: []string{result.POSIX}}},
				Common:   option.Common{Iterations: new(2)},
				Verify:   true,
			}, 5)
			behaviour := null.Options{Fail: func(s null.Step) error {
				if s.Phase == null.Open || s.Phase == null.Close {
					mu.Lock()
					turns = append(turns, turn{world.Rank(), s.Phase, filepath.Base(s.Path)})
					mu.Unlock()
				}
				return fail(world.Rank(), stops, s)
			}}
			seen := newTrace()
			ended := bench.Run(bench.Config{
				World: world, Stop: stops[world.Rank()], Now: time.Now,
				Clock: func() time.Duration { return time.Since(start) },
				Host:  "here", Grace: turnGrace,
				Arms: []bench.Arm{{Plan: p, Dir: hold(t, out), Observer: seen, Engines: nullEngines(behaviour)}},
				Abort: func(e result.Error) {
					mu.Lock()
					c.Error, c.State = &e, ""
					mu.Unlock()
					world.Abort(1)
					runtime.Goexit()
				},
			})
			if world.Rank() == 0 {
				state, c = ended, seen.cases[0]
			}
		})
		if left, err := os.ReadDir(out); state != "" && (err != nil || len(left) > 0) {
			t.Errorf("%v, %v are left", err, left)
		}
	})
	return state, c, turns
}

// Other ranks learn at a fence that a rank has failed before it.
func TestARankThatFailsBeforeAFenceEndsTheEpoch(t *testing.T) {
	state, c, _ := takeSteps(t, `"""Files of ranks, and a fence."""
def write(job):
    job.dump()
    f = job.create("a%d" % job.rank, alone = True)
    f.create_dataset("x", "f8", (100,)).write(everything())
    f.close()
    job.fence()
    job.fence()
`, func(rank int, _ []*engine.StopFlag, s null.Step) error {
		if rank == 1 && s.Phase == null.Transfer {
			return errors.New("no space left")
		}
		return nil
	})
	if state != result.Failed || c.Error == nil || c.Error.Rank != 1 || c.Error.Ranks != 1 ||
		!strings.HasSuffix(c.Error.Message, "no space left") || c.Error.Phase != result.PhaseTransfer {
		t.Errorf("%q, %+v", state, c.Error)
	}
}

func TestRanksOfABandTakeTurns(t *testing.T) {
	state, c, turns := takeTurns(t, func(rank int, _ []*engine.StopFlag, s null.Step) error {
		if s.Phase == null.Transfer {
			time.Sleep(time.Duration(5-rank) * time.Second) // lower ranks are slower
		}
		return nil
	})
	if state != result.Complete || !c.Verified || len(c.Samples) != 4 {
		t.Fatalf("%s with %d samples: %+v", state, len(c.Samples), c.Error)
	}
	for band, want := range [][]int{{0, 0, 1, 1, 2, 2}, {3, 3, 4, 4}} {
		name := fmt.Sprintf("silo_%d.posix", band)
		var ranks []int
		for _, t := range turns {
			if strings.HasSuffix(t.path, name) {
				ranks = append(ranks, t.rank)
			}
		}
		if want := slices.Repeat(want, 2*2); !slices.Equal(ranks, want) { // 2 iterations
			t.Errorf("%s was opened and closed by ranks %v, want %v", name, ranks, want)
		}
	}
	for _, s := range c.Samples {
		if want := uint64(5*800 + 2*960); s.Bytes != want {
			t.Errorf("%s: %d bytes, want %d", s.Operation, s.Bytes, want)
		}
		for _, class := range s.Classes { // rank 2 waits for 2 transfers of rank 0 and 2 of rank 1
			if class.Class == "fence" && (class.Max != 2*(5+4) || class.Min != 0) {
				t.Errorf("%s: fence %+v", s.Operation, class.Interval)
			}
		}
	}
}

func TestARankThatFailsGivesNoTurns(t *testing.T) {
	for _, op := range []workload.Op{workload.Write, workload.Read} {
		for _, phase := range []null.Phase{null.Open, null.Transfer, null.Close} {
			state, c, turns := takeTurns(t, func(rank int, _ []*engine.StopFlag, s null.Step) error {
				if rank == 1 && s.Phase == phase && s.Op == op {
					return errors.New("input/output error")
				}
				return nil
			})
			if e := c.Error; state != result.Failed || e == nil || e.Rank != 1 || e.Ranks != 1 ||
				string(e.Phase) != string(phase) || !strings.Contains(e.Message, "input/output error") {
				t.Errorf("%s, %s: %s, %+v", op, phase, state, c.Error)
			}
			after := slices.ContainsFunc(turns, func(t turn) bool { return t.rank == 2 })
			if reading := op == workload.Read; len(c.Samples) > 0 || after != reading {
				t.Errorf("%s, %s: %d samples; rank 2 had a turn: %v", op, phase, len(c.Samples), after)
			}
		}
	}
}

// A rank is told to stop while rank 0 is in its first transfer. It goes to the agreement, and the others follow.
func TestAStopEndsTheWaitForATurn(t *testing.T) {
	for stopped := range 5 {
		state, c, turns := takeTurns(t, func(rank int, stops []*engine.StopFlag, s null.Step) error {
			if rank == 0 && s.Phase == null.Transfer {
				time.Sleep(time.Second)
				stops[stopped].Set()
				time.Sleep(time.Minute)
			}
			return nil
		})
		if state != result.Interrupted || c.Error == nil && stopped == 0 || len(c.Samples) > 0 {
			t.Errorf("rank %d stopped: %s with %d samples, %+v", stopped, state, len(c.Samples), c.Error)
		}
		if stopped < 3 && slices.ContainsFunc(turns, func(t turn) bool { return t.rank == max(1, stopped) }) {
			t.Errorf("rank %d stopped, and rank %d had a turn", stopped, max(1, stopped))
		}
	}
}

// Rank 2 waits for the turn of rank 1, which gets none from rank 0: rank 0 hangs.
func TestAStopOfARankThatWaitsForItsTurnEndsTheJob(t *testing.T) {
	state, c, turns := takeTurns(t, func(rank int, stops []*engine.StopFlag, s null.Step) error {
		if rank == 0 && s.Phase == null.Transfer {
			stops[2].Set()
			time.Sleep(3 * turnGrace)
		}
		return nil
	})
	if state != "" || c.Error == nil || c.Error.Phase != result.PhaseSignal || c.Error.Rank != 2 {
		t.Errorf("%s, %+v, want the end of the job by rank 2", state, c.Error)
	}
	if slices.ContainsFunc(turns, func(t turn) bool { return t.rank == 1 }) {
		t.Errorf("%v: rank 1 had a turn", turns)
	}
}
