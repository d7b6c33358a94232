package plan_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

func mustAmount(t *testing.T, p plan.Plan, rate plan.AssumedRate) plan.WorkEstimate {
	t.Helper()
	a, err := p.EstimateWork(rate)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTheAmountOfARun(t *testing.T) {
	// Interleaved blocks of 1 KiB: 4 per transfer, 4 transfers, 2 datasets, 3 files; 2 processes, then 1.
	o := plan.Options{
		Sizes: option.Sizes{
			BytesPerProcess: new(uint64(16 << 10)),
			BlockSize:       new(uint64(1 << 10)),
			MinTransferSize: new(uint64(4 << 10)),
			MaxTransferSize: new(uint64(4 << 10)),
			Interleaved:     true,
			Datasets:        new(2),
			Files:           new(3),
		},
		Common: option.Common{Iterations: new(5), Conditions: option.Conditions{Warmup: new(2)}},
	}
	bytes := uint64(16<<10) * (2 + 1) * 2 * 3
	// A process needs 0.1 s to write its data, and 0.01 s to read them.
	rate := func(c plan.Case, op workload.Op) float64 {
		return float64(c.IterationBytes()) * float64(10+90*int(op)) / float64(c.Processes)
	}
	work := func(api string, op result.Operation, calls uint64, seconds float64) plan.Work {
		return plan.Work{API: api, Operation: op, Bytes: bytes, Calls: calls, Seconds: seconds}
	}
	runs, transfers := uint64(16*(2+1)*2*3), uint64(4*(2+1)*2*3)
	total := plan.TotalWork{
		Iterations: 6 * 7, Samples: 6 * 7 * 2, Files: 6 * 7 * 3, Calls: 7 * 2 * (2*runs + transfers),
		Written: 3 * 7 * bytes, Read: 3 * 7 * bytes, Seconds: 3 * 7 * 0.33,
	}
	want := plan.WorkEstimate{
		Cases: 6, MaxProcesses: 2, MaxFileBytes: 64 << 10, Disk: plan.DiskSpace{Bytes: 64 << 10, Inodes: 2},
		BytesPerProcess: 32 << 10, // all transfers of a file
		IterationWork: []plan.Work{
			work("posix", "write", runs, 0.3), work("posix", "read", runs, 0.03),
			work("mpiio", "write", runs, 0.3), work("mpiio", "read", runs, 0.03),
			work("phdf5", "write", transfers, 0.3), work("phdf5", "read", transfers, 0.03),
		},
		Min: total, Max: total,
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if d := cmp.Diff(want, mustAmount(t, mustPlan(t, o, 2), rate), near); d != "" {
		t.Error(d)
	}
	o.Collective = true
	if w := mustAmount(t, mustPlan(t, o, 2), nil).IterationWork[2]; w.Calls != transfers || w.Seconds != 0 {
		t.Errorf("collective: %+v, want %d calls and no time", w, transfers)
	}
	o.WriteOnly = true
	if a := mustAmount(t, mustPlan(t, o, 2), nil); len(a.IterationWork) != 3 || a.Max.Read != 0 ||
		a.Max.Samples != 6*7 {
		t.Errorf("write only: %+v", a)
	}
	r := plan.Options{
		Sizes:  option.Sizes{APIs: []string{"posix"}, MinTransferSize: new(uint64(256 << 10))},
		Common: option.Common{Conditions: option.Conditions{ReadOnly: "f"}},
	}
	if a := mustAmount(t, mustPlan(t, r, 1), nil); a.Max.Written != 0 || a.Max.Files != 0 || a.Max.Read != 256<<10 ||
		a.Disk.Bytes != 0 {
		t.Errorf("read only: %+v", a)
	}
}

func TestCallsLargerThanLinuxTakesAreSeveral(t *testing.T) {
	o := plan.Options{
		Sizes: option.Sizes{
			APIs: []string{"posix", "mpiio"}, MinTransferSize: new(uint64(5 << 30)),
			BytesPerProcess: new(uint64(5 << 30)), BlockSize: new(uint64(5 << 30)),
		},
	}
	a := mustAmount(t, mustPlan(t, o, 1), nil)
	if a.IterationWork[0].Calls != 3 || a.IterationWork[2].Calls != 1 {
		t.Errorf("%+v", a.IterationWork)
	}
}

func TestOpenIterationsLieBetweenLeastAndMost(t *testing.T) {
	rate := func(plan.Case, workload.Op) float64 { return 1 << 20 } // a quarter of a second each way
	o := plan.Options{Sizes: option.Sizes{MinTransferSize: new(uint64(256 << 10)), APIs: []string{"posix"}}}
	for _, c := range []struct {
		name        string
		conditions  option.Conditions
		rate        plan.AssumedRate
		least, most uint64
	}{
		{"seconds", option.Conditions{MinSeconds: new(10.0)}, rate, 40, 40},
		{"seconds, capped", option.Conditions{MinSeconds: new(3600.0)}, rate, 100, 100},
		{"seconds, soon reached", option.Conditions{MinSeconds: new(0.001)}, rate, 6, 6},
		{"seconds, unknown rate", option.Conditions{MinSeconds: new(10.0)}, nil, 6, 100},
		{"width", option.Conditions{RepeatUntil: new(0.1)}, rate, 6, 100},
		{
			"both",
			option.Conditions{RepeatUntil: new(0.1), MinSeconds: new(10.0), Warmup: new(1)},
			rate, 41,
			101,
		},
	} {
		o.Conditions = c.conditions
		a := mustAmount(t, mustPlan(t, o, 1), c.rate)
		if a.Min.Iterations != c.least || a.Max.Iterations != c.most || a.Max.Written != c.most<<18 {
			t.Errorf("%s: %+v to %+v, want %d to %d iterations", c.name, a.Min, a.Max, c.least, c.most)
		}
	}
}

func TestWhatCannotBeCountedIsRefused(t *testing.T) {
	o := plan.Options{
		Sizes: option.Sizes{
			BytesPerProcess: new(uint64(1 << 60)), BlockSize: new(uint64(1 << 20)),
			MinTransferSize: new(uint64(1 << 30)), MaxTransferSize: new(uint64(1 << 30)),
		},
		Common: option.Common{Iterations: new(100)},
	}
	_, err := mustPlan(t, o, 1).EstimateWork(nil)
	if _, ok := errors.AsType[*usage.Error](err); !ok || !strings.Contains(err.Error(), "64 bits") {
		t.Errorf("%v", err)
	}
}

// The time to plan does not depend on the number of processes: 2^31-1 processes take as long as one.
func TestTheAmountOfManyProcessesTakesNoTime(t *testing.T) {
	type answer struct {
		plan.WorkEstimate
		err error
	}
	done := make(chan answer, 1)
	go func() {
		p, err := plan.New(plan.Options{Sizes: option.Sizes{Interleaved: true}},
			plan.JobFacts{Processes: math.MaxInt32})
		if err != nil {
			done <- answer{err: err}
			return
		}
		a, err := p.EstimateWork(nil)
		done <- answer{a, err}
	}()
	select {
	case a := <-done:
		if a.err != nil || a.MaxProcesses != math.MaxInt32 || a.Cases != 31*2*3 {
			t.Errorf("%+v", a)
		}
	case <-time.After(2 * time.Minute): // a nanosecond for each process of each case would be six minutes
		t.Fatal("no answer")
	}
}
