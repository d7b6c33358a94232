//go:build cgo && !nompi

package bench_test

import (
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
	"h5perf/pkg/test/mpitest"
)

// Each of two processes has 64 KiB, in blocks of 8 KiB.
const tamperBlock, tamperBytes = 8 << 10, 64 << 10

func wrongDataOfRealFilesAreFoundAndNamed(t *testing.T, world mpi.Comm) {
	var stale []byte // the first block of the previous iteration
	for _, row := range []struct {
		name, want, rank string
		tamper           func(data []byte)
	}{
		{"a flipped bit", "1 bit differs", "rank 0", func(d []byte) { d[10000] ^= 1 }},
		{
			"a flipped bit of rank 1", "1 bit differs", "rank 1",
			func(d []byte) { d[tamperBytes+4*4096+3000] ^= 128 },
		},
		{"swapped blocks", "the block of offset", "rank 0", func(d []byte) {
			first := append([]byte(nil), d[:tamperBlock]...)
			copy(d, d[3*tamperBlock:4*tamperBlock])
			copy(d[3*tamperBlock:], first)
		}},
		{"a zeroed block", "zeroed", "rank 1", func(d []byte) { clear(d[tamperBytes : tamperBytes+tamperBlock]) }},
		{
			"another rank's block", "the block of rank 1", "rank 0",
			func(d []byte) { copy(d[:tamperBlock], d[tamperBytes:]) },
		},
		{"a stale block", "a stale block", "rank 0", func(d []byte) {
			if stale != nil {
				copy(d, stale)
			}
			stale = append([]byte(nil), d[:tamperBlock]...)
		}},
	} {
		for _, api := range plan.APIs() {
			stale = nil
			e := map[string]tampered{
				result.POSIX: {posix.New(), row.tamper, 0}, result.MPIIO: {mpiio.New(), row.tamper, 0},
				result.PHDF5: {hdf5.New(), row.tamper, 2048}, // where HDF5 stores contiguous datasets
			}[api]
			c := runTampered(t, world, api, e)
			if c.State != result.Failed || c.Error == nil || c.Error.Phase != "verify" {
				t.Errorf("%s, %s: case is %s: %v", api, row.name, c.State, c.Error)
				continue
			}
			for _, want := range []string{row.want, row.rank, "data_test_1.", "dataset 1"} {
				if !strings.Contains(c.Error.Message, want) {
					t.Errorf("%s, %s: %q does not tell %q", api, row.name, c.Error.Message, want)
				}
			}
		}
	}
}

// runTampered measures one API on all processes, in two iterations, and returns the case on all of them.
func runTampered(t *testing.T, world mpi.Comm, api string, e engine.Engine) result.Case {
	t.Helper()
	p1, err := plan.New(plan.Options{
		Sizes: option.Sizes{
			APIs:            []string{api},
			BytesPerProcess: new(uint64(tamperBytes)),
			BlockSize:       new(uint64(tamperBlock)),
			MinTransferSize: new(uint64(32 << 10)),
			MaxTransferSize: new(uint64(32 << 10)),
			MinProcesses:    new(2),
		},
		Common: option.Common{Iterations: new(2)},
		Verify: true,
	}, plan.JobFacts{Processes: 2})
	if err != nil {
		t.Fatal(err)
	}
	stop, err := engine.NewStopFlag()
	if err != nil {
		t.Fatal(err)
	}
	dir := hold(t, mpitest.Dir(t, world))
	seen := newTrace()
	bench.Run(bench.Config{
		World: world, Stop: stop, Now: time.Now, Clock: bench.NodeClock, Host: "here", Grace: time.Hour,
		Arms: []bench.Arm{{
			Plan: p1, Dir: dir, Observer: seen,
			Engines: map[string]func() engine.Engine{api: func() engine.Engine { return e }},
		}},
		Abort: func(e result.Error) { t.Fatalf("abort: %v", e.Message) },
	})
	var c result.Case
	if world.Rank() == 0 {
		c = seen.cases[0]
	}
	return mpi.Broadcast(world, c, 0)
}
