package bench_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"h5perf/pkg/bench"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/test/null"
)

// Ranks in these tests, which have three. Rank 0 only waits for the others.
const (
	failing = 1
	slow    = 2
)

// slowRun is a run of two cases in which calls of rank 2 are slow, and a call of rank 1 fails. Only these calls, and
// waits, take time.
type slowRun struct {
	// busyBefore and during are how long each open of rank 2 takes: before an open of rank 1 fails in the second
	// iteration, and during that open.
	before, during time.Duration
	// failing is how long the failing open of rank 1 takes.
	failing time.Duration
	// closing is how long the closes of rank 2 take after the failure.
	closing time.Duration
	first   bool // the first open of the run fails
	timeout time.Duration
	end     time.Duration // end of SetLimits, as time since the start; 0: none
}

// ended is how a slowRun ended.
type ended struct {
	state   result.State
	cases   []result.Case
	aborted *result.Error // nil if the job was not aborted
	at      time.Duration // time from the failure to the abort
}

func (s slowRun) run(t *testing.T) (end ended) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var failed time.Time
		start, dir := time.Now(), t.TempDir()
		job := mpi.MemoryJobOptions{Aborted: func(int, int, error) {}}
		mpitest.InMemory(t, job, 3, func(world mpi.Comm) {
			o := plan.Options{
				Sizes: option.Sizes{
					APIs:            []string{result.PHDF5},
					MinProcesses:    new(3),
					MinTransferSize: new(uint64(64 << 10)),
					MaxTransferSize: new(uint64(128 << 10)),
					BlockSize:       new(uint64(64 << 10)),
				},
				Common: option.Common{Iterations: new(3), WriteOnly: true},
			}
			opens, at := 0, 2
			if s.first {
				at = 1
			}
			behaviour := null.Options{Fail: func(step null.Step) error {
				switch {
				case step.Phase == null.Close && opens == at && world.Rank() == slow:
					time.Sleep(s.closing)
				case step.Phase != null.Open:
				case world.Rank() == failing:
					if opens++; opens == at {
						time.Sleep(s.failing)
						mu.Lock()
						failed = time.Now()
						mu.Unlock()
						return errors.New("input/output error")
					}
				case world.Rank() == slow:
					if opens++; opens == at {
						time.Sleep(s.during)
					} else if opens < at {
						time.Sleep(s.before)
					}
				}
				return nil
			}}
			state, cases := measureWith(t, world, o, dir, nullEngines(behaviour), func(cfg *bench.Config) {
				cfg.Clock, cfg.Grace = func() time.Duration { return time.Since(start) }, 0
				cfg.Patience = &bench.WaitPolicy{}
				deadline := time.Time{}
				if s.end > 0 {
					deadline = start.Add(s.end)
				}
				cfg.Patience.SetLimits(s.timeout, deadline)
				cfg.Abort = func(e result.Error) {
					mu.Lock()
					end.aborted, end.at = &e, time.Since(failed)
					mu.Unlock()
					world.Abort(1)
					runtime.Goexit()
				}
			})
			mu.Lock()
			end.state, end.cases = state, cases
			mu.Unlock()
		})
	})
	return end
}

// A rank fails while another rank is in an open that takes as long as earlier opens.
func TestAFailureWaitsForOpensAsLongAsThoseBefore(t *testing.T) {
	for name, s := range map[string]slowRun{
		"another rank was slow before":      {before: 5 * time.Second, during: 5 * time.Second},
		"it takes longer than before":       {before: 2 * time.Second, during: 7 * time.Second},
		"the call that fails was slow":      {first: true, failing: 2 * time.Second, during: 9 * time.Second},
		"closes are slow after the failure": {before: 5 * time.Second, closing: 19 * time.Second},
		"nothing is slow":                   {during: 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			end := s.run(t)
			if end.aborted != nil {
				t.Fatalf("the job was aborted after %v: %+v", end.at, end.aborted)
			}
			if end.state != result.Failed || len(end.cases) != 2 || end.cases[0].State != result.Failed ||
				end.cases[1].State != result.Complete || len(end.cases[1].Samples) != 3 {
				t.Fatalf("the run is %s with cases %+v", end.state, end.cases)
			}
			e := end.cases[0].Error
			waited := s.during-s.failing > bench.Grace
			if e.Rank != failing || e.Ranks != 1 || !strings.HasSuffix(e.Message, ": input/output error") ||
				waited != strings.HasPrefix(e.Message, "waited ") || waited == strings.HasPrefix(e.Message, "open ") {
				t.Errorf("error %+v", e)
			}
		})
	}
}

// The other ranks do not arrive in time.
func TestAFailureEndsTheJobInTime(t *testing.T) {
	const forever = 10 * time.Minute
	for name, c := range map[string]struct {
		slowRun
		at   time.Duration
		says string // "": the error does not mention the wait
	}{
		"nothing was slow": {slowRun{during: 4 * time.Second}, bench.Grace, ""},
		"opens were fast":  {slowRun{before: 700 * time.Millisecond, during: 4 * time.Second}, bench.Grace, ""},
		"the first open":   {slowRun{first: true, during: 5 * time.Second}, bench.Grace, ""},
		"opens were slow": {
			slowRun{before: 5 * time.Second, during: forever}, 20 * time.Second, "waited 20s for the other ranks",
		},
		"opens were very slow": {slowRun{before: time.Minute, during: forever}, bench.MaxPatience, "waited 1m0s "},
		"the timeout is short": {
			slowRun{before: 5 * time.Second, during: forever, timeout: 8 * time.Second}, 8 * time.Second, "waited 8s ",
		},
		"the deadline is near": {
			slowRun{before: 5 * time.Second, during: forever, end: 12 * time.Second}, 7 * time.Second, "waited 7s ",
		},
		"a close hangs after the failure": {slowRun{closing: forever}, bench.Grace, ""},
		"a close hangs where opens were slow": {
			slowRun{before: 5 * time.Second, closing: forever}, 20 * time.Second, "not closed within 20s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			end := c.run(t)
			if end.aborted == nil {
				t.Fatalf("the run is %s with cases %+v", end.state, end.cases)
			}
			if e := end.aborted; end.at != c.at || e.Rank != failing ||
				!strings.HasSuffix(e.Message, ": input/output error") ||
				!strings.Contains(e.Message, c.says) || c.says == "" && !strings.HasPrefix(e.Message, "open ") {
				t.Errorf("after %v, want %v: %+v", end.at, c.at, e)
			}
		})
	}
}

// The time of a transfer depends on the amount of data. So it does not show how long other ranks may be in a call.
func TestOnlyOpensClosesAndSyncsAreSeen(t *testing.T) {
	for _, c := range []struct {
		phase null.Phase
		sync  option.SyncMode
		seen  bool
	}{
		{null.Open, option.SyncNone, true},
		{null.Dataset, option.SyncNone, true},
		{null.Transfer, option.SyncNone, false},
		{null.Transfer, option.SyncEach, false},
		{null.Sync, option.SyncEach, true},
		{null.Sync, option.SyncPhase, true},
		{null.Sync, option.SyncClose, true},
		{null.DatasetClose, option.SyncNone, true},
		{null.Close, option.SyncNone, true},
	} {
		t.Run(string(c.phase)+" "+string(c.sync), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := one(1)
				o.Sync, o.APIs = c.sync, []string{result.PHDF5}
				var seen bench.WaitPolicy
				start := time.Now()
				behaviour := null.Options{Fail: func(s null.Step) error {
					if s.Phase == c.phase {
						time.Sleep(2 * time.Second)
					}
					return nil
				}}
				state, _, _ := runWith(t, o, behaviour, func(cfg *bench.Config) {
					cfg.Clock, cfg.Patience = func() time.Duration { return time.Since(start) }, &seen
				})
				want := time.Nanosecond
				if c.seen {
					want = bench.PatienceMargin * 2 * time.Second
				}
				if got := seen.WaitTime(time.Nanosecond, time.Now()); state != result.Complete || got != want {
					t.Errorf("the run is %s, and would wait %v, want %v", state, got, want)
				}
			})
		})
	}
}
