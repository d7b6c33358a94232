package bench_test

import (
	"cmp"
	"math"
	"slices"
	"testing"
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

// apart is a communicator of ranks each of which has its own time. Only engines and collective calls take time. A rank
// leaves a barrier late by its own delay, and other collective calls late by ten times that.
type apart struct {
	mpi.Comm
	now  *time.Duration
	late time.Duration
}

// come waits until all ranks have arrived, and then for the delay.
func (c apart) come(late time.Duration) {
	*c.now = time.Duration(c.Comm.Reduce([]float64{float64(*c.now)})[0].Max) + late
}

func (c apart) Barrier() { c.come(c.late) }

func (c apart) Agree(code int, hurry func() bool, grace time.Duration, how mpi.WaitMode) (int, int, error) {
	c.come(10 * c.late)
	return c.Comm.Agree(code, hurry, grace, how)
}

func (c apart) Reduce(values []float64) []mpi.ReducedValue {
	c.come(10 * c.late)
	return c.Comm.Reduce(values)
}

func (c apart) Split(color, key int) mpi.Comm {
	if part := c.Comm.Split(color, key); part != nil {
		return apart{part, c.now, c.late}
	}
	return nil
}

func (c apart) SplitNode() mpi.Comm { return apart{c.Comm.SplitNode(), c.now, c.late} }

func (c apart) SplitFirst(n int) mpi.Comm { return apart{c.Comm.SplitFirst(n), c.now, c.late} }

// ranks describes ranks that each have their own time.
type ranks struct {
	n     int
	nodes int                          // the ranks of a node follow one another; 0: one node
	clock func(node int) time.Duration // by how much the clock of a node is ahead; nil: nothing
	late  func(rank int) time.Duration // see apart
	takes func(rank int, s null.Step) time.Duration
	api   string // "": HDF5, an API with datasets
}

// measure measures the options on these ranks, and returns the only case.
func (r ranks) measure(t *testing.T, o plan.Options) result.Case {
	t.Helper()
	node := func(rank int) int { return rank * max(1, r.nodes) / r.n }
	dir := t.TempDir()
	var measured result.Case
	api := cmp.Or(r.api, result.PHDF5)
	o.APIs, o.MinProcesses = []string{api}, &r.n
	mpitest.InMemory(t, mpi.MemoryJobOptions{Node: node}, r.n, func(world mpi.Comm) {
		now, wrong := time.Duration(0), time.Duration(0)
		if r.clock != nil {
			wrong = r.clock(node(world.Rank()))
		}
		takes := func(s null.Step) error {
			now += r.takes(world.Rank(), s)
			return nil
		}
		engines := map[string]func() engine.Engine{api: func() engine.Engine {
			return null.New(null.Options{Fail: takes})
		}}
		timed := apart{world, &now, r.late(world.Rank())}
		state, cases := measureWith(t, timed, o, dir, engines, func(cfg *bench.Config) {
			cfg.Clock = func() time.Duration { return wrong + now }
		})
		if state != result.Complete || len(cases) != 1 {
			t.Errorf("%s with %d cases", state, len(cases))
		} else if world.Rank() == 0 {
			measured = cases[0]
		}
	})
	if len(measured.Samples) == 0 {
		t.Fatal("no samples")
	}
	return measured
}

// sameTime returns the time of a step by its phase, the same on each rank. seconds is in seconds.
func sameTime(seconds map[null.Phase]int) func(int, null.Step) time.Duration {
	return func(_ int, s null.Step) time.Duration { return time.Duration(seconds[s.Phase]) * time.Second }
}

// eachSecondLater returns n seconds. As a function of the rank or node, it makes each one second later than the one
// before.
func eachSecondLater(n int) time.Duration { return time.Duration(n) * time.Second }

// inTime is the delay of ranks that are not late.
func inTime(int) time.Duration { return 0 }

// transfers returns options with n transfers of each process.
func transfers(n int, c option.Conditions) plan.Options {
	size := uint64(4096)
	return plan.Options{
		Sizes: option.Sizes{
			BytesPerProcess: new(uint64(n) * size), MinTransferSize: &size, MaxTransferSize: &size,
			BlockSize: &size,
		},
		Common: option.Common{Conditions: c},
	}
}

var costs = map[null.Phase]int{
	null.Open: 7, null.Dataset: 3, null.Transfer: 100, null.DatasetClose: 2, null.Close: 5,
}

// Four ranks leave each barrier one second after the other, so they do not overlap when they create and close a
// dataset.
func TestTheWindowIsFromTheFirstStartToTheLastEnd(t *testing.T) {
	c := ranks{n: 4, late: eachSecondLater, takes: sameTime(costs)}.measure(t, transfers(1, option.Conditions{}))
	for _, s := range c.Samples {
		for name, row := range map[string]struct {
			got result.Interval
			own float64 // without the 3 s between the first and the last start in each epoch
			n   float64 // number of epochs
		}{
			"open":     {s.ClassInterval(workload.FileOpen), 7, 1},
			"transfer": {s.ClassInterval(workload.Transfer), 100, 1},
			"access":   {s.Access, 105, 3},
			"close":    {s.ClassInterval(workload.FileClose), 5, 1}, "open-close": {s.OpenClose, 117, 5},
		} {
			if i := row.got; i.Max != row.own || i.Min != row.own || i.WindowSeconds != row.own+3*row.n {
				t.Errorf("%s, %s: %+v, want %g and 3 s more for each of %g epochs",
					s.Operation, name, i, row.own, row.n)
			}
		}
		if want := float64(s.Bytes) / 114; s.Throughput() != want || s.Bytes != 4*4096 {
			t.Errorf("%d bytes at %g bytes per second, want %g", s.Bytes, s.Throughput(), want)
		}
		if s.HasMark(result.MarkStaggered) || s.HasMark(result.MarkSkewed) {
			t.Errorf("marks %q", s.Marks)
		}
	}
	if c.BarrierSkew != 0 {
		t.Errorf("skew of %g s on one node", c.BarrierSkew)
	}
}

func TestRanksThatDoNotOverlapAreStaggered(t *testing.T) {
	short := map[null.Phase]int{null.Transfer: 1}
	c := ranks{n: 4, late: eachSecondLater, takes: sameTime(short)}.measure(t, transfers(1, option.Conditions{}))
	for _, s := range c.Samples {
		if s.Access.Mean != 1 || s.Access.WindowSeconds != 1+3*3 || !s.HasMark(result.MarkStaggered) {
			t.Errorf("%+v, marks %q", s.Access, s.Marks)
		}
	}
}

// The clocks of two nodes need not agree: each node has its own window, and the longest one counts.
func TestTheWindowOfTheSlowestNodeCounts(t *testing.T) {
	var all []result.Case
	for _, clock := range []func(int) time.Duration{
		nil,
		func(node int) time.Duration { return eachSecondLater(-1e6 * node) },
	} {
		c := ranks{
			n: 4, nodes: 2, clock: clock, late: eachSecondLater, takes: func(rank int, s null.Step) time.Duration {
				if s.Phase == null.Transfer && rank == 3 {
					return 150 * time.Second
				}
				return sameTime(costs)(rank, s)
			},
		}.measure(t, transfers(1, option.Conditions{}))
		for _, s := range c.Samples {
			// The ranks of a node start 1 s apart.
			if s.ClassInterval(workload.Transfer).WindowSeconds != 151 || s.Access.WindowSeconds != 151+4+3 ||
				s.Access.Max != 155 ||
				s.Access.MaxRank != 3 {
				t.Errorf("%+v", s)
			}
			if !s.HasMark(result.MarkSkewed) {
				t.Errorf("marks %q with barriers that end within %g s", s.Marks, c.BarrierSkew)
			}
		}
		if c.BarrierSkew < 3 || c.BarrierSkew > 6 {
			t.Errorf("skew %g s, want at least the 3 s between the first and the last", c.BarrierSkew)
		}
		all = append(all, c)
	}
	for i, s := range all[0].Samples {
		if other := all[1].Samples[i]; s.Access != other.Access || s.Throughput() != other.Throughput() {
			t.Errorf("with clocks set apart: %+v, else %+v", other.Access, s.Access)
		}
	}
}

func TestWindowsOfManyEpochsAreAddedUp(t *testing.T) {
	o := transfers(1, option.Conditions{})
	o.Datasets, o.Files = new(300), new(2)
	c := ranks{n: 2, late: eachSecondLater, takes: sameTime(costs)}.measure(t, o)
	for _, s := range c.Samples {
		if s.Access.WindowSeconds != 600*(105+3) || s.Access.Max != 600*105 ||
			s.ClassInterval(workload.FileOpen).WindowSeconds != 2*8 {
			t.Errorf("%+v", s)
		}
	}
}

// A plain file has no datasets. So its transfer time contains no epochs of datasets, which would have windows of their
// own.
func TestAPlainFileHasNoTimeOfDatasets(t *testing.T) {
	for _, api := range []string{result.POSIX, result.MPIIO} {
		o := transfers(1, option.Conditions{})
		o.Datasets = new(3)
		c := ranks{n: 4, late: eachSecondLater, takes: sameTime(costs), api: api}.measure(t, o)
		for _, s := range c.Samples {
			if s.Access != s.ClassInterval(workload.Transfer) || len(s.Classes) != 3 {
				t.Errorf("%s %s: access %+v, classes %+v", api, s.Operation, s.Access, s.Classes)
			}
		}
	}
}

// If each process syncs after each of its transfers, it does both at its own pace, in one epoch.
func TestTransfersAndSyncsThatAlternateHaveOneWindow(t *testing.T) {
	takes := func(rank int, s null.Step) time.Duration {
		switch s.Phase {
		case null.Transfer:
			return eachSecondLater(1 + rank)
		case null.Sync:
			return eachSecondLater(10 * (2 - rank))
		}
		return 0
	}
	c := ranks{n: 2, late: inTime, takes: takes}.measure(t, transfers(5, option.Conditions{Sync: option.SyncEach}))
	s := c.Samples[0]
	if s.ClassInterval(workload.Transfer).Max != 10 || s.ClassInterval(workload.Transfer).Min != 5 ||
		s.ClassInterval(workload.Sync).Max != 100 ||
		s.ClassInterval(workload.Sync).Min != 50 ||
		s.AccessAndSync.Max != 105 {
		t.Errorf("transfer %+v, sync %+v, both %+v", s.ClassInterval(workload.Transfer), s.ClassInterval(workload.Sync),
			*s.AccessAndSync)
	}
	if d := s.ClassInterval(workload.Transfer).Deviation; d != 2.5 { // 5 and 10 seconds
		t.Errorf("a standard deviation of %v", d)
	}
	if s.AccessAndSync.WindowSeconds != 105 || s.Seconds() != 105 {
		t.Errorf("the window of both is %+v", *s.AccessAndSync)
	}
	for _, i := range []result.Interval{
		s.ClassInterval(workload.Transfer), s.Access, s.ClassInterval(workload.Sync), s.OpenClose,
	} {
		if i.WindowSeconds != 0 {
			t.Errorf("%+v has a window of its own", i)
		}
	}
	if read := c.Samples[1]; read.ClassInterval(workload.Transfer).WindowSeconds != 10 {
		t.Errorf("read %+v", read)
	}
}

// One rank takes twice as long per transfer. In lockstep both have done 30 transfers when the limit of the slow one is
// over. At their own pace the fast one has done 60, and the slow one continues until it has done as many.
func TestTheWindowOfATimeLimitEndsThere(t *testing.T) {
	takes := func(rank int, s null.Step) time.Duration {
		if s.Phase == null.Transfer {
			return eachSecondLater(1 + rank)
		}
		return 0
	}
	for collective, want := range map[bool]struct {
		transfers uint64
		window    float64
	}{true: {30, 60}, false: {60, 120}} {
		o := transfers(1000, option.Conditions{TimeLimit: new(60.0)})
		o.Collective = collective
		s := ranks{n: 2, late: inTime, takes: takes}.measure(t, o).Samples[0]
		if l := s.Limit; l == nil || l.Transfers != want.transfers || l.AtLimit.WindowSeconds != 60 {
			t.Errorf("collective %v: limit %+v", collective, l)
		}
		if s.ClassInterval(workload.Transfer).WindowSeconds != want.window ||
			s.ClassInterval(workload.Transfer).Max != want.window {
			t.Errorf("collective %v: %+v", collective, s)
		}
	}
}

// A rank whose open is slow lengthens no clock of other ranks, no matter how late they leave the agreement after it.
func TestALateOpenIsAsLongAsItIs(t *testing.T) {
	for _, n := range []int{2, 8, 32} {
		c := ranks{
			n: n, late: func(rank int) time.Duration { return time.Duration(rank) * time.Microsecond },
			takes: func(rank int, s null.Step) time.Duration {
				if s.Phase == null.Open && rank == n/2 {
					return 400 * time.Millisecond
				}
				return time.Millisecond
			},
		}.measure(t, transfers(1, option.Conditions{}))
		for _, s := range c.Samples {
			late := 1e-6 * float64(n/2)
			if s.ClassInterval(workload.FileOpen).Max != 0.4 ||
				math.Abs(s.ClassInterval(workload.FileOpen).WindowSeconds-0.4-late) > 1e-9 ||
				s.ClassInterval(workload.Transfer).Max != 0.001 {
				t.Errorf("%d ranks: %+v", n, s)
			}
		}
	}
}

// No process makes a collective call between two readings of its clock, except for the barriers that measure skew.
func TestNoCollectiveCallIsInAClock(t *testing.T) {
	for _, n := range []int{1, 3} {
		for name, o := range map[string]plan.Options{
			"plain": transfers(3, option.Conditions{}), "synced": transfers(3,
				option.Conditions{Sync: option.SyncPhase}),
			"limited":  transfers(300, option.Conditions{TimeLimit: new(0.001)}),
			"verified": func() plan.Options { o := transfers(300, option.Conditions{}); o.Verify = true; return o }(),
		} {
			o.APIs, o.MinProcesses = []string{result.PHDF5}, &n
			dir := t.TempDir()
			mpitest.InMemory(t, mpi.MemoryJobOptions{}, n, func(world mpi.Comm) {
				var last string // the call before the last reading
				readings, between := 0, []string{}
				watched := tellingComm{world, func(call string) {
					if readings%2 == 1 {
						between = append(between, call)
					}
					last = call
				}}
				measureWith(t, watched, o, dir, nullEngines(null.Options{Fail: func(s null.Step) error {
					timed := []null.Phase{
						null.Open, null.Dataset, null.Transfer, null.Sync, null.DatasetClose, null.Close,
					}
					if slices.Contains(timed, s.Phase) && last != "Barrier" {
						t.Errorf("%s, %d ranks: %s after %s", name, n, s.Phase, last)
					}
					return nil
				}}), func(cfg *bench.Config) {
					now := cfg.Clock
					cfg.Clock = func() time.Duration {
						if last == "SplitNode" || last == "Split" { // reads the origin of the group
							return now()
						}
						if name != "limited" { // with a limit, a process reads its clock between batches
							readings++
						}
						return now()
					}
				})
				if len(between) > 0 {
					t.Errorf("%s, %d ranks: in a clock: %v", name, n, between)
				}
			})
		}
	}
}
