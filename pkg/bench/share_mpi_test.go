//go:build cgo && !nompi

package bench_test

import (
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

// gatherRanks is a script in which all ranks create the same file again in each dump.
const recreatedFile = `"""A file of all ranks, once more in each dump."""
def change(f):
    v = f.create_dataset("v", "f8", 300)
    v.write(block())
    f.close()

def write(job):
    for n in range(2):
        job.dump()
        change(job.create("f"))

def read(job):
    job.dump()
    f = job.open("f")
    f["v"].read(block())
    f.close()
`

// ofText measures the workload of a script with verification, and checks that each API completes. If before is not nil,
// it is called before each batch.
func ofText(t *testing.T, world mpi.Comm, text string, o plan.Options, before func(*workload.Batch)) {
	t.Helper()
	o.Workload.Workload, o.Workload.Text, o.Verify = "shared.star", []byte(text), true
	p, err := plan.New(o, plan.JobFacts{Processes: world.Size()})
	if err != nil {
		t.Fatal(err)
	}
	stop, err := engine.NewStopFlag()
	if err != nil {
		t.Fatal(err)
	}
	engines := map[string]func() engine.Engine{}
	for api, made := range realEngines() {
		engines[api] = func() engine.Engine {
			return disturbed{made(), func(b *workload.Batch) error {
				if before != nil {
					before(b)
				}
				return nil
			}}
		}
	}
	seen := newTrace()
	state := bench.Run(bench.Config{
		World: world, Stop: stop, Now: time.Now, Clock: bench.NodeClock, Host: "here", Grace: time.Hour,
		Arms:  []bench.Arm{{Plan: p, Engines: engines, Dir: hold(t, mpitest.Dir(t, world)), Observer: seen}},
		Abort: func(e result.Error) { t.Fatalf("abort: %v", e.Message) },
	})
	if state != result.Complete {
		t.Errorf("the run is %s", state)
	}
	if world.Rank() == 0 {
		complete(t, p.Parameters.Workload.Name, seen.cases, true)
	}
}

// The other ranks open a file only after rank 0 has written to it.
func aLateRankLeavesWhatIsWritten(t *testing.T, world mpi.Comm) {
	o := plan.Options{
		Workload: &plan.WorkloadOptions{Application: option.Application{APIs: []string{result.POSIX}}},
		Common:   option.Common{Iterations: new(2), Conditions: option.Conditions{Keep: true}},
	}
	ofText(t, world, recreatedFile, o, func(b *workload.Batch) {
		switch {
		case b.Op != workload.Write:
		case world.Rank() == 0 && b.Class == workload.FileClose:
			for to := 1; to < world.Size(); to++ {
				world.Signal(to, 0)
			}
		case world.Rank() > 0 && b.Class == workload.FileOpen:
			world.AwaitSignal(0, func() bool { return false })
		}
	})
}

// Ranks open a file one after another. Then all of them read it together.
func ranksWriteInTurnsWhatAllRead(t *testing.T, world mpi.Comm) {
	text := strings.NewReplacer(
		"range(2)", "range(1)", `change(job.create("f"))`, `job.turns(lambda _: change(job.create("f")))`,
	).Replace(recreatedFile)
	ofText(t, world, text, plan.Options{Workload: &plan.WorkloadOptions{}}, nil)
}
