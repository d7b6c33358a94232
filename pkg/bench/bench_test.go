package bench_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/test/null"
	"h5perf/pkg/workload"
)

// trace is an observer that records its calls.
type trace struct {
	events []string
	begun  map[int]*result.Case
	order  []int         // case of each sample
	cases  []result.Case // cases that have ended
	path   string
}

func newTrace() *trace { return &trace{begun: map[int]*result.Case{}} }

func (o *trace) BeginCase(i int, c result.Case) {
	o.events = append(o.events, fmt.Sprintf("begin %d %s", c.TransferSize>>10, c.API))
	o.begun[i] = &result.Case{}
}

func (o *trace) VisitCase(int) {}

func (o *trace) BeginFile(_ int, path string) { o.path = path }

func (o *trace) AddSample(i int, s result.Sample, warmup bool) {
	o.order = append(o.order, i)
	o.begun[i].AddSample(s, warmup)
}

func (o *trace) EndCase(i int, c result.Case) {
	o.events = append(o.events, "end "+c.API)
	c.Samples, c.Warmup = o.begun[i].Samples, o.begun[i].Warmup
	o.cases = append(o.cases, c)
}

// stopAndDir makes the stop flag and the private directory of a run.
func stopAndDir(t *testing.T) (*engine.StopFlag, *rundir.OpenDir) {
	t.Helper()
	stop, err := engine.NewStopFlag()
	if err != nil {
		t.Fatal(err)
	}
	return stop, hold(t, t.TempDir())
}

// hold opens the directory path as the private directory of a run.
func hold(t *testing.T, path string) *rundir.OpenDir {
	t.Helper()
	dir, err := rundir.Dir{Path: path, RunID: "test"}.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	return dir
}

// run runs options on one process, with a null engine for every API.
func run(t *testing.T, o plan.Options, behaviour null.Options) (result.State, *trace, *null.Engine) {
	t.Helper()
	return runWith(t, o, behaviour, func(*bench.Config) {})
}

// runWith is like run, but first calls change to adapt the configuration.
func runWith(
	t *testing.T, o plan.Options, behaviour null.Options, change func(*bench.Config),
) (result.State, *trace, *null.Engine) {
	t.Helper()
	plan1, err := plan.New(o, plan.JobFacts{Processes: 1})
	if err != nil {
		t.Fatal(err)
	}
	stop, dir := stopAndDir(t)
	if behaviour.Fail != nil {
		fail := behaviour.Fail
		behaviour.Fail = func(s null.Step) error {
			err := fail(s)
			if errors.Is(err, errStop) {
				stop.Set()
				return nil
			}
			return err
		}
	}
	seen := newTrace()
	e := null.New(behaviour)
	newEngine := func() engine.Engine { return e }
	cfg := bench.Config{
		World: mpi.Self{}, Stop: stop, Now: time.Now, Clock: bench.NodeClock, Host: "here", Grace: time.Hour,
		Arms: []bench.Arm{{
			Plan: plan1, Dir: dir, Observer: seen,
			Engines: map[string]func() engine.Engine{
				result.POSIX: newEngine, result.MPIIO: newEngine,
				result.PHDF5: newEngine,
			},
		}},
		Abort: func(e result.Error) { t.Fatalf("abort: %v", e) },
	}
	change(&cfg)
	state := bench.Run(cfg)
	if left, err := os.ReadDir(dir.Path); err != nil || len(left) != 0 {
		t.Errorf("left in the private directory: %v, %v", left, err)
	}
	return state, seen, e
}

// errStop is the error by which a step sets the stop flag, as a signal would.
var errStop = errors.New("stop")

func TestTheSweepGoesInTheOrderOfTheGuide(t *testing.T) {
	state, seen, _ := run(t, plan.Options{
		Sizes:  option.Sizes{Files: new(2), Datasets: new(3)},
		Common: option.Common{Iterations: new(2)},
	}, null.Options{})
	if state != result.Complete {
		t.Errorf("state %s", state)
	}
	want := "begin 128 posix end posix begin 128 mpiio end mpiio begin 128 phdf5 end phdf5 " +
		"begin 256 posix end posix begin 256 mpiio end mpiio begin 256 phdf5 end phdf5"
	if got := strings.Join(seen.events, " "); got != want {
		t.Errorf("events\n%s, want\n%s", got, want)
	}
	for _, c := range seen.cases {
		if len(c.Samples) != 4 {
			t.Fatalf("%d samples, want one per iteration and direction", len(c.Samples))
		}
		for i, s := range c.Samples {
			want := result.ValuesOf[result.Operation]()[i%2]
			if s.Operation != want || s.Iteration != i/2+1 || s.Bytes != 2*3*256<<10 {
				t.Errorf("sample %d is %+v", i, s)
			}
		}
	}
}

func TestWriteOnlyReadsNothing(t *testing.T) {
	_, seen, _ := run(t, plan.Options{
		Sizes:  option.Sizes{APIs: []string{result.POSIX}},
		Common: option.Common{WriteOnly: true},
	},
		null.Options{Fail: func(s null.Step) error {
			if s.Op == workload.Read {
				return errors.New("a read")
			}
			return nil
		}})
	for _, c := range seen.cases {
		if c.State != result.Complete || len(c.Samples) != 1 {
			t.Errorf("case %+v", c)
		}
	}
}

// pooled is an engine that shows the test the buffers of its case.
type pooled struct {
	engine.Engine
	pool *[]byte
}

func (e pooled) Prepare(env engine.Env, program workload.Program) (engine.Session, error) {
	*e.pool = program.Moves[0].Buffer.Pool
	return e.Engine.Prepare(env, program)
}

// Buffers are filled before the clock starts, and compared after it has stopped. Readings of the clock leave the
// buffers unchanged, but the reading that ends a read changes them.
func TestVerifyingAndStampingStayOutsideTheClocks(t *testing.T) {
	for _, block := range []uint64{2, 64 << 10} { // the second is stamped, and in two datasets
		var pool, atReading []byte
		spoil, reading := false, false
		e := pooled{null.New(null.Options{Fail: func(s null.Step) error {
			if s.Phase != null.Transfer {
				return nil
			}
			if reading = s.Op == workload.Read; !reading && !bytes.Equal(pool, atReading) {
				t.Errorf("blocks of %d bytes, dataset %d: the buffers changed inside of the clock", block, s.Dataset)
			}
			return nil
		}}), &pool}
		measured := func(spoiling bool) result.Case {
			spoil, pool = spoiling, nil
			_, seen, _ := runWith(t, plan.Options{
				Sizes: option.Sizes{
					APIs:            []string{result.POSIX},
					BytesPerProcess: new(uint64(64 << 10)),
					Datasets:        new(2),
					MinTransferSize: new(uint64(64 << 10)),
					MaxTransferSize: new(uint64(64 << 10)),
					BlockSize:       &block,
				},
				Verify: true,
			}, null.Options{}, func(cfg *bench.Config) {
				cfg.Clock = func() time.Duration {
					if atReading = slices.Clone(pool); reading && spoil {
						pool[5000] ^= 4
					}
					reading = false
					return bench.NodeClock()
				}
				cfg.Arms[0].Engines = map[string]func() engine.Engine{result.POSIX: func() engine.Engine { return e }}
			})
			return seen.cases[0]
		}
		if c := measured(false); c.State != result.Complete || !c.Verified {
			t.Fatalf("case is %s, %v, verified %v", c.State, c.Error, c.Verified)
		}
		if c := measured(true); c.State != result.Failed || !strings.Contains(c.Error.Message, "1 bit differs") {
			t.Errorf("blocks of %d bytes: what changed when the clock stopped is %s, %+v", block, c.State, c.Error)
		}
	}
}

func TestEveryCorruptionIsFoundAndNamed(t *testing.T) {
	for _, c := range []struct {
		name    string
		corrupt func(buffer []byte)
		want    string
	}{
		{"a flipped bit", func(b []byte) { b[5000] ^= 4 }, "1 bit differs"},
		{"swapped blocks", func(b []byte) {
			block := append([]byte(nil), b[:4096]...)
			copy(b, b[4096:8192])
			copy(b[4096:], block)
		}, "the block of offset"},
		{"a zeroed block", func(b []byte) { clear(b[4096:8192]) }, "zeroed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := plan.Options{Sizes: option.Sizes{
				APIs: []string{result.POSIX}, BlockSize: new(uint64(4096)),
				Datasets: new(2),
			}, Verify: true}
			state, seen, _ := run(t, o, null.Options{
				Corrupt: func(s null.Step, buffer []byte) {
					if s.Dataset == 1 && s.Transfer == 0 {
						c.corrupt(buffer)
					}
				},
			})
			if state != result.Failed {
				t.Fatalf("state %s", state)
			}
			e := seen.cases[0].Error
			if e == nil || e.Phase != "verify" || !strings.Contains(e.Message, c.want) ||
				!strings.Contains(e.Message, "dataset 2") ||
				!strings.Contains(e.Message, seen.path) || !strings.Contains(e.Message, "rank 0") {
				t.Errorf("error %+v, want %q, the file, the dataset and the rank", e, c.want)
			}
			if len(seen.cases[0].Samples) != 0 {
				t.Errorf("figures of wrong data: %+v", seen.cases[0].Samples)
			}
		})
	}
}

func TestAFailureInAnyPhaseFailsTheCaseAndOnlyIt(t *testing.T) {
	for _, phase := range []null.Phase{
		null.Prepare, null.Open, null.Dataset, null.Transfer, null.DatasetClose,
		null.Close,
	} {
		for _, op := range []workload.Op{workload.Write, workload.Read} {
			if phase == null.Prepare && op == workload.Read {
				continue
			}
			t.Run(string(phase)+" "+op.String(), func(t *testing.T) {
				failures := 0
				o := plan.Options{
					Sizes:  option.Sizes{MinTransferSize: new(uint64(256 << 10)), Datasets: new(2)},
					Common: option.Common{Iterations: new(2)},
				}
				state, seen, _ := run(t, o, null.Options{
					Fail: func(s null.Step) error {
						if s.Phase == phase && s.Op == op && failures == 0 {
							failures++
							return syscall.ENOSPC
						}
						return nil
					},
				})
				if state != result.Failed || len(seen.cases) != 3 {
					t.Fatalf("state %s after %d cases", state, len(seen.cases))
				}
				first := seen.cases[0]
				if first.State != result.Failed || first.Error == nil ||
					!strings.Contains(first.Error.Message, "no space left on device") {
					t.Errorf("first case %s: %v", first.State, first.Error)
				}
				if len(first.Samples) != 0 {
					t.Errorf("figures for what failed: %+v", first.Samples)
				}
				for _, c := range seen.cases[1:] {
					if c.State != result.Complete || len(c.Samples) != 4 {
						t.Errorf("later case %s with %d samples", c.State, len(c.Samples))
					}
				}
			})
		}
	}
}

func TestAFailureKeepsEarlierIterations(t *testing.T) {
	opened := 0
	o := plan.Options{
		Sizes:  option.Sizes{APIs: []string{result.POSIX}, MinTransferSize: new(uint64(256 << 10))},
		Common: option.Common{Iterations: new(3)},
	}
	_, seen, _ := run(t, o, null.Options{
		Fail: func(s null.Step) error {
			if s.Phase == null.Open && s.Op == workload.Write {
				if opened++; opened == 3 {
					return syscall.EIO
				}
			}
			return nil
		},
	})
	if c := seen.cases[0]; c.State != result.Failed || len(c.Samples) != 4 || c.Error.Iteration != 3 {
		t.Errorf("case %+v, want failed in iteration 3 with the samples of two", c)
	}
}

func TestAStopEndsTheRun(t *testing.T) {
	state, seen, _ := run(t, plan.Options{Common: option.Common{Iterations: new(3)}}, null.Options{
		Fail: func(s null.Step) error {
			if s.Phase == null.Open && s.Op == workload.Read {
				return errStop
			}
			return nil
		},
	})
	if state != result.Interrupted || len(seen.cases) != 1 {
		t.Fatalf("state %s after %d cases, want interrupted in the first", state, len(seen.cases))
	}
	if c := seen.cases[0]; c.State != result.Interrupted || c.Error == nil || c.Error.Phase != result.PhaseSignal {
		t.Errorf("case is %s: %v", c.State, c.Error)
	}
}

func TestAMissingFileSizeIsFound(t *testing.T) {
	// Every write reports success, but the file is short: as Open MPI's MPI-IO can leave it on a full disk.
	var path string
	_, seen, _ := run(t, plan.Options{Sizes: option.Sizes{
		APIs:            []string{result.MPIIO},
		MinTransferSize: new(uint64(256 << 10)),
	}}, null.Options{
		Fail: func(s null.Step) error {
			if s.Phase == null.Open {
				path = s.Path
			}
			if s.Phase == null.Close && s.Op == workload.Write {
				return errors.Join(os.Truncate(path, 1000))
			}
			return nil
		},
	})
	c := seen.cases[0]
	if c.State != result.Failed || c.Error.Phase != "check" || !strings.Contains(c.Error.Message, "1000 bytes") {
		t.Errorf("case is %s: %v, want the short file to be found", c.State, c.Error)
	}
}

func TestAStepTooLargeIsSkipped(t *testing.T) {
	o := plan.Options{Sizes: option.Sizes{
		APIs: []string{result.POSIX}, MaxProcesses: new(4),
		MinTransferSize: new(uint64(256 << 10)),
	}}
	state, seen, _ := run(t, o, null.Options{})
	if state != result.Complete || len(seen.cases) != 1 || seen.cases[0].Processes != 1 {
		t.Errorf("state %s, cases %+v; want the step of one process alone", state, seen.cases)
	}
}
