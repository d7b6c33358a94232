package bench_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/test/null"
	"h5perf/pkg/workload"
)

// dumping is a workload with one file and one dataset per dump, with 4 KiB of each process, and a pause after each
// dump.
type dumping struct {
	dumps uint64
	pause time.Duration
	slow  func(rank int, s null.Step) time.Duration // time of a step in addition to one second; nil: none
	told  func(rank int, call string)               // called with each collective call; may be nil
}

func (d dumping) Amounts(int) (workload.Amounts, error) { return workload.Amounts{}, nil }

func (d dumping) Program(rank, ranks uint64) (workload.Program, error) {
	const size = 4096
	sequence := pattern.ParallelPattern{
		Processes: ranks, BytesPerProcess: size, TransferSize: size,
		BlockSize: size,
	}.Sequence(rank)
	p := workload.Program{
		Files: []workload.File{{Name: "all", Bytes: d.dumps * ranks * size}},
		Objects: []workload.Object{{
			Kind: workload.DatasetObject, Parent: workload.NoParent, PerGroup: d.dumps, Count: d.dumps, Name: "d%d",
			Type: workload.Type{Class: workload.Float, Size: 8}, Dims: []uint64{ranks * size / 8}, Stride: ranks * size,
		}},
		Moves: []workload.Move{{
			Sequence: sequence, Nest: sequence.LoopNest(),
			Buffer: workload.Buffer{Slots: 1, SlotBytes: size, Grain: size},
		}},
	}
	for _, op := range []workload.Op{workload.Write, workload.Read} {
		step := func(class workload.StepClass, first uint64) workload.Step {
			return workload.Step{Batch: workload.Batch{Class: class, Op: op, First: first, Count: 1, NumTransfers: 1}}
		}
		begin := workload.Create
		if op == workload.Read {
			begin = workload.Open
		}
		part := &p.Parts[op]
		part.Begin = []workload.Epoch{{Steps: []workload.Step{step(workload.FileOpen, 0)}}}
		for k := range d.dumps {
			steps := []workload.Step{step(begin, k), step(workload.Transfer, k), step(workload.ObjectClose, k)}
			steps = append(steps, workload.Step{
				Batch: workload.Batch{Class: workload.Compute}, Duration: d.pause,
			}, workload.Step{Batch: workload.Batch{Class: workload.Fence}})
			part.Dumps = append(part.Dumps, workload.Dump{Epochs: []workload.Epoch{{Steps: steps}}})
		}
		part.Quantities = []workload.Quantity{{Name: "parts", Number: 3}}
		part.End = []workload.Epoch{{Steps: []workload.Step{step(workload.FileClose, 0)}}}
	}
	return p, nil
}

// measured runs the workload on 3 processes with clocks that steps advance, and returns the state and the case of rank
// 0. change may be nil.
func (d dumping) measured(t *testing.T, o null.Options, change func(*plan.Plan)) (state result.State, c result.Case) {
	t.Helper()
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, 3, func(world mpi.Comm) {
		stop, err := engine.NewStopFlag()
		if err != nil {
			t.Error(err)
			return
		}
		seen := newTrace()
		p := plan.Plan{
			Parameters: result.Parameters{
				APIs: []string{result.POSIX}, Iterations: 2, Files: 1, Verify: true, MinProcesses: 3, MaxProcesses: 3,
			},
			ProcessSteps: []plan.ProcessStep{{Processes: 3, TransferSizes: []uint64{0}}}, Workload: d,
		}
		if change != nil {
			change(&p)
		}
		now := time.Duration(0)
		var done []uint64 // reported numbers of bytes that this process has moved, without repetitions
		var timed mpi.Comm = apart{world, &now, 0}
		if d.told != nil {
			timed = tellingComm{timed, func(call string) { d.told(world.Rank(), call) }}
		}
		options := o
		options.Fail = func(s null.Step) error {
			now += time.Second
			if d.slow != nil {
				now += d.slow(world.Rank(), s)
			}
			if o.Fail != nil {
				return o.Fail(s)
			}
			return nil
		}
		ended := bench.Run(bench.Config{
			World: timed, Stop: stop, Now: time.Now, Clock: func() time.Duration { return now },
			Sleep: func(d time.Duration) { now += d }, Host: "here", Grace: time.Hour,
			Arms: []bench.Arm{{
				Plan: p, Dir: hold(t, mpitest.Dir(t, world)), Observer: seen,
				Engines: map[string]func() engine.Engine{
					result.POSIX: func() engine.Engine { return null.New(options) },
				},
			}},
			Abort: func(e result.Error) { t.Errorf("abort: %v", e.Message) },
			Enter: func(w bench.Activity) { done = append(done, w.Done) },
		})
		if world.Rank() == 0 {
			state, c = ended, seen.cases[0]
			done = slices.Compact(slices.DeleteFunc(done, func(n uint64) bool { return n == 0 }))
			if state == result.Complete && change == nil {
				var want []uint64
				for range 2 * c.Samples[len(c.Samples)-1].Iteration {
					for k := range d.dumps {
						want = append(want, (k+1)*4096)
					}
				}
				if !slices.Equal(done, slices.Compact(want)) {
					t.Errorf("bytes that the process has moved: %d, want %d", done, want)
				}
			}
		}
	})
	return state, c
}

func TestAWorkloadHasAClockForEachClass(t *testing.T) {
	pause := 10 * time.Second
	state, c := dumping{dumps: 3, pause: pause}.measured(t, null.Options{}, nil)
	if state != result.Complete || len(c.Samples) != 4 || !c.Verified {
		t.Fatalf("%s with %d samples: %+v", state, len(c.Samples), c.Error)
	}
	for _, s := range c.Samples {
		if want := uint64(3 * 3 * 4096); s.Bytes != want {
			t.Errorf("%s: %d bytes, want %d", s.Operation, s.Bytes, want)
		}
		if want := []result.HandledUnits{{Unit: "parts", Number: 3 * 3}}; !slices.Equal(s.Handled, want) {
			t.Errorf("%s: handled %+v, want %+v", s.Operation, s.Handled, want)
		}
		begin := result.Class("create")
		if s.Operation == "read" {
			begin = "open"
		}
		want := map[result.Class]float64{
			"file open": 1, begin: 3, "transfer": 3, "object close": 3, "compute": 30, "file close": 1,
		}
		for _, class := range s.Classes {
			if class.Max != want[class.Class] || class.Min != class.Max {
				t.Errorf("%s, class %s: %+v, want %v seconds", s.Operation, class.Class, class.Interval,
					want[class.Class])
			}
		}
		if s.ClassInterval(workload.FileOpen).WindowSeconds != 1 ||
			s.ClassInterval(workload.Transfer).WindowSeconds != 0 {
			t.Errorf("%s: opening files has epochs of its own, %+v; transfers have none: %+v", s.Operation,
				s.ClassInterval(workload.FileOpen), s.ClassInterval(workload.Transfer))
		}
		if s.Access.Max != 11 || s.Access.WindowSeconds != 11 || s.OpenClose.Max != 41 || s.PlannedCompute != 30 {
			t.Errorf("%s: visible %+v, all %+v, %v planned to compute", s.Operation, s.Access, s.OpenClose,
				s.PlannedCompute)
		}
	}
}

func TestWrongDataOfAWorkloadAreFound(t *testing.T) {
	state, c := dumping{dumps: 2}.measured(t, null.Options{Corrupt: func(s null.Step, buffer []byte) {
		if s.Dataset == 1 {
			buffer[800] ^= 1
		}
	}}, nil)
	if state != result.Failed || c.Error == nil || c.Error.Phase != result.PhaseVerify || c.Error.Ranks != 3 ||
		!strings.Contains(c.Error.Message, "1 bytes differ") ||
		!strings.Contains(c.Error.Message, "all:/d1: element 100,") {
		t.Errorf("%s: %+v", state, c.Error)
	}
}

func TestDataThatWereNotWrittenAreTold(t *testing.T) {
	for want, spoil := range map[string]func(buffer []byte){
		"64 bytes were not written, or are lost: they are 0: all:/d1: element 100,": func(b []byte) {
			clear(b[800:864])
		},
		"65 bytes differ from the data that were written; 64 of them were not written, or are lost": func(b []byte) {
			clear(b[800:864])
			b[0] ^= 1
		},
	} {
		state, c := dumping{dumps: 2}.measured(t, null.Options{Corrupt: func(s null.Step, buffer []byte) {
			if s.Dataset == 1 {
				spoil(buffer)
			}
		}}, nil)
		if state != result.Failed || c.Error == nil || !strings.Contains(c.Error.Message, want) {
			t.Errorf("%s: %+v, want %s", state, c.Error, want)
		}
	}
}

func TestAFailedStepOfAWorkloadFailsTheCase(t *testing.T) {
	for _, phase := range []null.Phase{null.Open, null.Dataset, null.Transfer, null.DatasetClose, null.Close} {
		state, c := dumping{dumps: 2}.measured(t, null.Options{Fail: func(s null.Step) error {
			if s.Phase == phase && (s.Dataset == 1 || phase == null.Open || phase == null.Close) {
				return fmt.Errorf("no %s", s.Phase)
			}
			return nil
		}}, nil)
		if state != result.Failed || c.Error == nil || !strings.Contains(c.Error.Message, "no "+string(phase)) ||
			len(c.Samples) != 0 || string(c.Error.Phase) != string(phase) {
			t.Errorf("%s: %s, %d samples, %+v", phase, state, len(c.Samples), c.Error)
		}
	}
}

func TestATimeLimitEndsAWorkloadAfterADump(t *testing.T) {
	state, c := dumping{dumps: 5, pause: time.Second}.measured(t, null.Options{}, func(p *plan.Plan) {
		p.Parameters.Conditions.TimeLimit = new(5.0) // a dump takes 3 s, and opening the file 1 s
	})
	if state != result.Complete || !slices.ContainsFunc(c.Samples, func(s result.Sample) bool {
		return s.Operation == "read"
	}) {
		t.Fatalf("%s: %+v", state, c.Error)
	}
	for _, s := range c.Samples {
		if want := uint64(2 * 3 * 4096); s.Bytes != want {
			t.Errorf("%s: %d bytes, want %d: two dumps", s.Operation, s.Bytes, want)
		}
		if s.Handled[0].Number != 2*3 {
			t.Errorf("%s: handled %+v, want those of two dumps", s.Operation, s.Handled)
		}
	}
}

// readingBack is a workload that reads each dataset back in part write, after it has written the dataset.
type readingBack struct{ dumping }

func (w readingBack) Program(rank, ranks uint64) (workload.Program, error) {
	p, err := w.dumping.Program(rank, ranks)
	for i := range p.Parts[workload.Write].Dumps {
		steps := &p.Parts[workload.Write].Dumps[i].Epochs[0].Steps
		back := (*steps)[1]
		back.Op = workload.Read
		(*steps)[1].BeginsAndEnds, back.BeginsAndEnds = true, true
		*steps = slices.Insert(*steps, 2, back)
	}
	return p, err
}

// The latencies of writes are those of writes alone.
func TestWhatIsReadBackIsNotInTheLatenciesOfWrites(t *testing.T) {
	d := dumping{dumps: 4}
	_, c := d.measured(t, null.Options{}, func(p *plan.Plan) {
		p.Workload, p.Parameters.Conditions.Latency, p.Parameters.Verify = readingBack{d}, true, false
	})
	if c.State != result.Complete || len(c.Latencies) != 2 || c.Samples[0].ReadBackBytes != c.Samples[0].Bytes {
		t.Fatalf("%s, %+v, %d latencies, %+v", c.State, c.Error, len(c.Latencies), c.Samples)
	}
	if l := c.Latencies[0]; l.Operation != result.OperationWrite || l.Count != 2*3*d.dumps {
		t.Errorf("%d calls of %s, want %d writes", l.Count, l.Operation, 2*3*d.dumps)
	}
}
