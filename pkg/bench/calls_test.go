package bench_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/test/null"
)

// counter is a counter of calls that counts how often it is started.
type counter struct {
	t       *testing.T
	rank    uint64
	started int
	running bool
}

func (c *counter) Start(dir string) {
	if c.running || !filepath.IsAbs(dir) {
		c.t.Errorf("started in %s, running: %v", dir, c.running)
	}
	c.started++
	c.running = true
}

func (c *counter) Stop() []engine.FunctionCalls {
	if !c.running {
		c.t.Error("stopped before it was started")
	}
	c.running = false
	return []engine.FunctionCalls{
		{Function: "never"},
		{Function: "put", Kind: engine.WriteCall, Calls: 3, Bytes: 10 + c.rank},
		{Function: "seek", Kind: engine.OtherCall, Calls: c.rank},
	}
}

// Calls are those of all processes and files of an iteration in one direction.
func TestCallsOfAllProcessesAndFilesAreSummed(t *testing.T) {
	const files = 2
	for _, asked := range []bool{true, false} {
		mpitest.InMemory(t, mpi.MemoryJobOptions{}, 2, func(world mpi.Comm) {
			o := plan.Options{
				Sizes: option.Sizes{APIs: []string{result.POSIX}, MinProcesses: new(2), Files: new(files)},
				Common: option.Common{Iterations: new(2), Conditions: option.Conditions{
					CountCalls: asked, Warmup: new(1),
				}},
			}
			own := &counter{t: t, rank: uint64(world.Rank())}
			_, cases := measureWith(t, world, o, mpitest.Dir(t, world), nullEngines(null.Options{}),
				func(cfg *bench.Config) { cfg.CallCounters = map[string]engine.CallCounter{result.MPIIO: own} })
			complete(t, "counted", cases, false)
			var want []result.FunctionCalls
			starts := 0
			if asked {
				want = []result.FunctionCalls{
					{API: result.MPIIO, Function: "put", Kind: result.CallWrite, Calls: 6 * files, Bytes: 21 * files},
					{API: result.MPIIO, Function: "seek", Kind: result.CallOther, Calls: files},
				}
				starts = len(cases) * 3 * 2 * files
			}
			for _, c := range cases {
				for _, s := range slices.Concat(c.Samples, c.Warmup) {
					if d := cmp.Diff(want, s.Calls); d != "" {
						t.Errorf("asked %v: (-want +got)\n%s", asked, d)
					}
				}
			}
			if own.started != starts || own.running {
				t.Errorf("asked %v: started %d times, want %d; running: %v", asked, own.started, starts, own.running)
			}
		})
	}
}
