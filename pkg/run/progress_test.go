package run

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// clock is a clock that tests move forward.
type clock struct{ now time.Time }

func (c *clock) turn(d time.Duration) { c.now = c.now.Add(d) }

// shown is the progress of a run whose steps a test does one by one.
type shown struct {
	*ProgressBar
	t     *testing.T
	out   *bytes.Buffer
	clock *clock
}

// show returns the progress of a run of two cases on 2 processes: in each, POSIX and MPI-IO, a process writes and reads
// 1 MiB.
func show(t *testing.T, change func(*plan.Options), arms ...result.Arm) shown {
	t.Helper()
	size := new(uint64(1 << 20))
	o := plan.Options{
		Sizes: option.Sizes{
			APIs: []string{result.POSIX, result.MPIIO}, BytesPerProcess: size, BlockSize: size,
			MinTransferSize: size, MaxTransferSize: size, MinProcesses: new(2),
		},
	}
	change(&o)
	p, err := plan.New(o, plan.JobFacts{Processes: 2})
	if err != nil {
		t.Fatal(err)
	}
	c := &clock{time.Unix(0, 0)}
	r := ProgressSetup{Now: func() time.Time { return c.now }}
	for _, name := range arms {
		r.Arms = append(r.Arms, ProgressArm{Name: string(name), Plan: p})
	}
	r.InOrder = len(arms) == 1 && p.Parameters.Conditions.Order != option.OrderRandom
	var out bytes.Buffer
	return shown{newBar(r, &out), t, &out, c}
}

// takes adds a sample of an operation of the current case, after the time that it takes.
func (s shown) takes(d time.Duration, operation result.Operation) {
	s.clock.turn(d)
	s.AddSample(result.Sample{
		Operation: operation, Bytes: 2 << 20, Access: result.Interval{WindowSeconds: d.Seconds(), Max: d.Seconds()},
	})
}

// says checks the next line of the output.
func (s shown) says(want string) {
	s.t.Helper()
	s.out.Reset()
	s.Show()
	if want != "" {
		want = "h5perf: " + want + "\n"
	}
	if got := s.out.String(); got != want {
		s.t.Errorf("%q, want %q", got, want)
	}
}

// iterationText returns the number of the current iteration.
func (s shown) iterationText() string {
	_, text := s.work.positionTexts(s.work.estimateRemaining(s.clock.now))
	return text
}

func TestTheTimeLeftIsThatOfWhatWasMeasured(t *testing.T) {
	s := show(t, func(*plan.Options) {}, "")
	s.says("")
	s.VisitCase(0, 0)
	s.says("case 1 of 2, POSIX, 2 processes, transfers of 1 MiB")
	s.SetMovedBytes(func() uint64 { return 256 << 10 }, 0) // by each of two processes
	s.clock.turn(10 * time.Second)
	// 10 s of 4 times 40 s
	s.says("case 1 of 2, 6 % done, about 3 min left, POSIX, 51.2 KiB/s, 2 processes, transfers of 1 MiB")
	s.clock.turn(30 * time.Second)
	s.SetMovedBytes(nil, 0)
	s.takes(0, result.OperationWrite)
	// a read is as long as a write
	s.says("case 1 of 2, 25 % done, about 2 min left, POSIX, 2 processes, transfers of 1 MiB")
	s.takes(10*time.Second, result.OperationRead)
	s.EndCase(0, 0)
	s.VisitCase(0, 1)
	s.clock.turn(4 * time.Second)
	s.says("case 2 of 2, 54 % done, about 46 s left, MPI-IO, 2 processes, transfers of 1 MiB")
	s.takes(76*time.Second, result.OperationWrite)
	s.says("case 2 of 2, 93 % done, about 10 s left, MPI-IO, 26.9 KiB/s, 2 processes, transfers of 1 MiB")
	s.takes(10*time.Second, result.OperationRead)
	s.EndCase(0, 1)
	s.says("case 2 of 2, 100 % done, about 0 s left, MPI-IO, 205 KiB/s, 2 processes, transfers of 1 MiB")
}

// idle is a workload that tests plan but do not run: it writes 8 MiB and reads 4 MiB.
type idle struct{}

func (idle) Amounts(int) (all workload.Amounts, err error) {
	all.Ops[workload.Write].Bytes, all.Ops[workload.Read].Bytes = 8<<20, 4<<20
	return all, nil
}

func (idle) Program(uint64, uint64) (workload.Program, error) { return workload.Program{}, nil }

func TestAWorkloadCountsTheBytesOfItsDumps(t *testing.T) {
	c := &clock{time.Unix(0, 0)}
	p := plan.Plan{
		Parameters: result.Parameters{
			APIs: []string{result.MPIIO, result.PHDF5}, Iterations: 1, Workload: &result.Workload{Name: "dumps"},
		},
		ProcessSteps: []plan.ProcessStep{{Processes: 2, TransferSizes: []uint64{0}}}, Workload: idle{},
	}
	var out bytes.Buffer
	r := ProgressSetup{Now: func() time.Time { return c.now }, InOrder: true, Arms: []ProgressArm{{Plan: p}}}
	s := shown{newBar(r, &out), t, &out, c}
	s.VisitCase(0, 0)
	s.SetMovedBytes(nil, 0)
	s.clock.turn(time.Second)
	s.says("case 1 of 2, MPI-IO, 2 processes, workload dumps")
	s.clock.turn(time.Second)
	// each process has done one of its two dumps, and half of the other
	s.SetMovedBytes(func() uint64 { return 1 << 20 }, 1<<20)
	s.says("case 1 of 2, 17 % done, about 10 s left, MPI-IO, 2 processes, workload dumps")
	s.SetMovedBytes(nil, 2<<20) // the workload computes
	s.clock.turn(2 * time.Second)
	s.says("case 1 of 2, 17 % done, about 20 s left, MPI-IO, 2 processes, workload dumps")
	s.SetMovedBytes(nil, 4<<20)
	s.takes(4*time.Second, result.OperationWrite)
	s.SetMovedBytes(nil, 0)
	s.takes(10*time.Second, result.OperationRead)
	s.EndCase(0, 0)
	s.VisitCase(0, 1)
	s.clock.turn(4 * time.Second)
	s.says("case 2 of 2, 61 % done, about 14 s left, HDF5, 2 processes, workload dumps")
}

// creating is a workload that creates and opens 100000 objects, and transfers next to nothing.
type creating struct{ idle }

func (creating) Amounts(int) (all workload.Amounts, err error) {
	all.Ops[workload.Write].Bytes, all.Ops[workload.Read].Bytes = 64, 64
	all.Ops[workload.Write].Objects[workload.Create] = 100_000
	all.Ops[workload.Read].Objects[workload.Open] = 100_000
	return all, nil
}

func TestTheTimeLeftIsThatOfObjects(t *testing.T) {
	c := &clock{time.Unix(0, 0)}
	p := plan.Plan{
		Parameters: result.Parameters{
			APIs: []string{result.PHDF5}, Iterations: 1, Workload: &result.Workload{Name: "objects"},
		},
		ProcessSteps: []plan.ProcessStep{{Processes: 2, TransferSizes: []uint64{0}}}, Workload: creating{},
	}
	var out bytes.Buffer
	r := ProgressSetup{Now: func() time.Time { return c.now }, InOrder: true, Arms: []ProgressArm{{Plan: p}}}
	s := shown{newBar(r, &out), t, &out, c}
	s.VisitCase(0, 0)
	for i, left := range []string{"70 s", "60 s", "50 s"} { // of 40 s for each direction
		c.turn(10 * time.Second)
		// the transfers are over soon, and both processes create the objects together
		s.SetMovedBytes(nil, 32+uint64(i+1)*25_000*plan.ObjectBytes/2)
		done := []string{"13", "25", "38"}[i]
		s.says("case 1 of 1, " + done + " % done, about " + left + " left, HDF5, 2 processes, workload objects")
	}
	s.takes(10*time.Second, result.OperationWrite)
	s.takes(40*time.Second, result.OperationRead)
	s.work.current.Parameters.Iterations = 2
	c.turn(60 * time.Second) // slower than before
	s.SetMovedBytes(nil, 50_000*plan.ObjectBytes/2)
	s.says("case 1 of 1, 70 % done, about 60 s left, HDF5, 51.2 KiB/s, 2 processes, workload objects")
}

func TestWhatMattersLessIsLeftOutIfTheLineIsShort(t *testing.T) {
	s := show(t, func(o *plan.Options) { o.Iterations = new(2) }, "")
	s.VisitCase(0, 0)
	s.takes(10*time.Second, result.OperationWrite)
	s.takes(10*time.Second, result.OperationRead)
	state := s.work.stateAfter(s.clock.now, 20*time.Second, time.Time{})
	for width, want := range map[int]struct{ bar, line string }{
		100: {
			"case 1 of 2, about 60 s left, POSIX, 205 KiB/s, 2 processes, transfers of 1 MiB, iteration 2 of 2",
			"case 1 of 2, 25 % done, about 60 s left, POSIX, 205 KiB/s, 2 processes, transfers of 1 MiB",
		},
		90: {
			"case 1 of 2, about 60 s left, POSIX, 205 KiB/s, 2 processes, transfers of 1 MiB",
			"case 1 of 2, 25 % done, about 60 s left, POSIX, 205 KiB/s, 2 processes, transfers of 1 MiB",
		},
		89: {
			"case 1 of 2, about 60 s left, POSIX, 205 KiB/s, 2 processes, transfers of 1 MiB",
			"case 1 of 2, 25 % done, about 60 s left, POSIX, 205 KiB/s, 2 processes",
		},
		30: {"case 1 of 2, about 60 s left", "case 1 of 2, 25 % done"},
		1:  {"case 1 of 2", "case 1 of 2"},
	} {
		if bar, line := state.barText(width), state.lineText(width); bar != want.bar || line != want.line {
			t.Errorf("%d columns: %q and %q, want %q", width, bar, line, want)
		}
	}
}

func TestTheDeadlineLimitsTheTimeLeft(t *testing.T) {
	s := show(t, func(o *plan.Options) {
		o.APIs, o.WriteOnly, o.Iterations = []string{result.MPIIO}, true, new(100)
	}, "")
	s.Deadline = s.clock.now.Add(10 * time.Minute)
	s.VisitCase(0, 0)
	s.takes(2*time.Minute, result.OperationWrite)
	s.says("case 1 of 1, 20 % done, ends by its deadline in 8 min, MPI-IO, 17.1 KiB/s, 2 processes")
	s.clock.turn(9 * time.Minute)
	s.says("case 1 of 1, 100 % done, ends by its deadline in 0 s, MPI-IO, 17.1 KiB/s, 2 processes")
}

func TestIterationsThatAreNotKnownAreSaidToBeSo(t *testing.T) {
	width := func(o *plan.Options) {
		o.APIs, o.WriteOnly = []string{result.POSIX}, true
		o.Conditions = option.Conditions{RepeatUntil: new(0.01), MaxIterations: new(20)}
	}
	s := show(t, width, "")
	s.VisitCase(0, 0)
	for range 10 {
		s.takes(30*time.Second, result.OperationWrite)
	}
	s.says("case 1 of 1, at most 5 min left, POSIX, 68.3 KiB/s, 2 processes, transfers of 1 MiB")
	if got := s.iterationText(); got != "iteration 11 of at most 20" {
		t.Errorf("%q", got)
	}

	s = show(t, func(o *plan.Options) {
		width(o)
		o.Conditions = option.Conditions{MinSeconds: new(300.0)}
	}, "")
	s.VisitCase(0, 0)
	s.takes(10*time.Second, result.OperationWrite)
	s.says("case 1 of 1, 3 % done, about 5 min left, POSIX, 205 KiB/s, 2 processes, transfers of 1 MiB")
	if got := s.iterationText(); got != "iteration 2 of 30" {
		t.Errorf("%q", got)
	}
}

func TestARandomOrderCountsIterations(t *testing.T) {
	s := show(t, func(o *plan.Options) {
		o.Order, o.Iterations, o.WriteOnly = option.OrderRandom, new(3), true
	}, "A", "B")
	s.VisitCase(1, 1)
	s.takes(10*time.Second, result.OperationWrite)
	s.VisitCase(0, 1)
	s.takes(30*time.Second, result.OperationWrite)
	s.VisitCase(1, 0)
	// POSIX has no samples yet. Its estimate uses the other API: that of arm A for A, and that of arm B for B.
	s.says("iteration 3 of 12, 17 % done, about 3 min left, B: POSIX, 2 processes, transfers of 1 MiB")
	s.takes(100*time.Second, result.OperationWrite)
	s.EndCase(1, 0) // has failed
	s.says("iteration 4 of 10, 27 % done, about 6 min left, B: POSIX, 20.5 KiB/s, 2 processes")
}

func TestTheIntervalOfLinesGrowsUntilTheEnd(t *testing.T) {
	for _, c := range []struct {
		interval LineInterval
		want     []time.Duration
	}{
		{defaultLineInterval, []time.Duration{5, 10, 20, 40, 60, 60, 60}},
		{LineInterval{First: 7 * time.Second, Longest: 7 * time.Second}, []time.Duration{7, 7, 7}},
	} {
		s := show(t, func(*plan.Options) {}, "")
		s.VisitCase(0, 0)
		s.Interval = c.interval
		waits, tick := make(chan time.Duration), make(chan time.Time)
		s.After = func(d time.Duration) <-chan time.Time {
			waits <- d
			return tick
		}
		ended := make(chan struct{})
		go func() {
			s.showRepeatedly()
			close(ended)
		}()
		for i, want := range c.want {
			if got := <-waits; got != want*time.Second {
				t.Errorf("%v: line %d comes after %v, want %v", c.interval, i+1, got, want*time.Second)
			}
			tick <- time.Time{}
		}
		<-waits
		s.Close()
		<-ended
		if n := strings.Count(s.out.String(), "\n"); n != len(c.want) {
			t.Errorf("%v: %d lines, want %d", c.interval, n, len(c.want))
		}
	}
}

func TestNothingIsShownWithoutATerminalUnlessLinesAreWanted(t *testing.T) {
	s := show(t, func(*plan.Options) {}, "")
	if b := NewProgressBar(s.ProgressSetup, nil, s.out); b != nil {
		t.Error("lines")
	}
	var none *ProgressBar
	none.VisitCase(0, 0)
	none.SetMovedBytes(nil, 0)
	none.AddSample(result.Sample{})
	none.EndCase(0, 0)
	none.Clear()
	none.Close()
	s.Interval, s.After = LineInterval{First: time.Hour, Longest: time.Hour}, time.After
	b := NewProgressBar(s.ProgressSetup, nil, s.out)
	if b == nil {
		t.Fatal("no lines")
	}
	b.Close()
}
