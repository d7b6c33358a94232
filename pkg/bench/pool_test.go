package bench_test

import (
	"testing"
	"time"
	"unsafe"

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

// seeing is an engine that shows the test the programs that it prepares.
type seeing struct {
	engine.Engine
	see func(workload.Program)
}

func (s seeing) Prepare(env engine.Env, p workload.Program) (engine.Session, error) {
	s.see(p)
	return s.Engine.Prepare(env, p)
}

// Each dump has its own moves, but only the moves of one dump need memory at a time.
func TestDumpsShareTheMemoryOfTheirMoves(t *testing.T) {
	const text = `"""A record of two datasets in each dump."""
names = ["v", "w"]

def write(job):
    f = job.create("f")
    all = [f.create_dataset(name, "f8", (20, 4096)) for name in names]
    for n in range(20):
        job.dump()
        for d in all:
            d.write(block(record = n))
    job.end()
    f.close()

def read(job):
    f = job.open("f")
    all = [f[name] for name in names]
    for n in range(20):
        job.dump()
        for d in all:
            d.read(block(record = n))
    job.end()
    f.close()
`
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, 1, func(world mpi.Comm) {
		p, err := plan.New(plan.Options{
			Workload: &plan.WorkloadOptions{
				Application: option.Application{APIs: []string{result.POSIX}, Workload: "records.star"},
				Text:        []byte(text),
			},
			Verify: true,
		}, plan.JobFacts{Processes: 1})
		if err != nil {
			t.Error(err)
			return
		}
		stop, err := engine.NewStopFlag()
		if err != nil {
			t.Error(err)
			return
		}
		moves, first, end := 0, ^uintptr(0), uintptr(0)
		see := func(p workload.Program) {
			for i := range p.Moves {
				pool := p.Moves[i].Buffer.Pool
				at := uintptr(unsafe.Pointer(unsafe.SliceData(pool)))
				moves, first, end = moves+1, min(first, at), max(end, at+uintptr(len(pool)))
			}
		}
		state := bench.Run(bench.Config{
			World: world, Stop: stop, Now: time.Now, Clock: bench.NodeClock, Host: "here", Grace: time.Hour,
			Arms: []bench.Arm{{
				Plan: p, Dir: hold(t, mpitest.Dir(t, world)), Observer: newTrace(),
				Engines: map[string]func() engine.Engine{
					result.POSIX: func() engine.Engine { return seeing{null.New(null.Options{}), see} },
				},
			}},
		})
		if want := uintptr(2 * 4096 * 8); state != result.Complete || moves != 40 || end-first != want {
			t.Errorf("%s, %d moves in %d bytes, want 40 in %d", state, moves, end-first, want)
		}
	})
}
