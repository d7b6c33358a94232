//go:build cgo

package bench_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

func TestWrongDataOfTheSerialToolAreFoundAndNamed(t *testing.T) {
	serial, err := plan.New(plan.Options{
		Serial: &option.SerialSizes{
			DatasetExtent: []uint64{64, 64},
			BufferExtent:  []uint64{16, 32},
		},
		Verify: true,
	},
		plan.JobFacts{})
	if err != nil {
		t.Fatal(err)
	}
	flip := func(data []byte) { data[1000] ^= 16 }
	stop, dir := stopAndDir(t)
	seen := newTrace()
	state := bench.Run(bench.Config{
		World: mpi.Self{}, Stop: stop, Now: time.Now, Clock: bench.NodeClock, Host: "here", Grace: time.Hour,
		Arms: []bench.Arm{{Plan: serial, Dir: dir, Observer: seen, Engines: map[string]func() engine.Engine{
			result.POSIX: func() engine.Engine { return tampered{posix.New(), flip, 0} },
			result.HDF5:  func() engine.Engine { return tampered{hdf5.New(), flip, 2048} },
		}}},
		Abort: func(e result.Error) { t.Fatalf("abort: %v", e.Message) },
	})
	if state != result.Failed || len(seen.cases) != 2 {
		t.Fatalf("state %s after %d cases", state, len(seen.cases))
	}
	for _, c := range seen.cases {
		if c.Error == nil || !strings.Contains(c.Error.Message, "1 bit differs") ||
			!strings.Contains(c.Error.Message, "offset 1000") || len(c.Samples) != 0 {
			t.Errorf("%s: %v, samples %v", c.API, c.Error, c.Samples)
		}
	}
}

// tampered is an engine whose files are changed by rank 0 between writing and reading.
type tampered struct {
	engine.Engine
	tamper func(data []byte)
	start  int // offset of the data in the file
}

type tamperedSession struct {
	engine.Session
	tampered
	comm mpi.Comm
}

func (e tampered) Prepare(env engine.Env, program workload.Program) (engine.Session, error) {
	s, err := e.Engine.Prepare(env, program)
	return tamperedSession{s, e, env.Comm}, err
}

func (s tamperedSession) Do(b *workload.Batch) error {
	if b.Class == workload.FileOpen && b.Op == workload.Read {
		if s.comm.Rank() == 0 {
			data, err := os.ReadFile(b.Path)
			if err != nil {
				return err
			}
			s.tamper(data[s.start:])
			if err := os.WriteFile(b.Path, data, 0o600); err != nil {
				return err
			}
		}
		s.comm.Barrier()
	}
	return s.Session.Do(b)
}
