package run

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/bench"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
	"h5perf/pkg/test/plaintest"
	"h5perf/pkg/workload"
)

func TestAFewRanksFailWhereTheyCannotAgree(t *testing.T) { failTogether(t, 3, 8) }

// failTogether ends a job in which every second rank hangs. The other ranks fail, and wait in vain for the hung ones.
// All of them report to rank 0, over the sockets of this machine.
func failTogether(t *testing.T, nodes, each int) {
	n := nodes * each
	first := n - each/2 // a rank of the last node, but not its first one
	c := newCrowd(t, n)
	c.node = func(rank int) int { return rank / each }
	c.cpus = fmt.Sprintf("0-%d", each-1)
	c.fails = func(p *process, _ int, step null.Step) error {
		if step.Phase != null.Open {
			return nil
		}
		if p.rank != first {
			<-c.known
		}
		if p.rank%2 > 0 { // as if the watchdog had found it
			p.job.ender.abortHungJob(bench.Activity{Phase: result.PhaseOpen}, errTest.Error())
		}
		return errTest
	}
	c.run()
	c.statuses(result.ExitFailed, gone)
	if lost, aborts := c.lost.Load(), c.aborts.Load(); lost > 0 || aborts != 1 {
		t.Errorf("%d ranks could not tell rank 0, and there were %d aborts", lost, aborts)
	}
	doc := c.document(c.json, result.Failed, result.ExitFailed)
	if len(doc.Errors) != 1 || doc.Errors[0].Rank != first || doc.Errors[0].Ranks != n ||
		doc.Errors[0].Phase != result.PhaseOpen {
		t.Errorf("errors %+v", doc.Errors)
	}
	want := fmt.Sprintf("rank %d and %d more", first, n-1)
	if said := plaintest.Unwrap(c.allSaid()); strings.Count(said, "\n") != 1 || !strings.Contains(said, want) ||
		!strings.HasPrefix(said, "h5perf: the job is ended: ") {
		t.Errorf("the ranks say %q, want one line with %q", said, want)
	}
	// The first process of a node sends simultaneous errors to rank 0 in one message.
	if _, messages := c.ranks[0].job.ender.knownError(); each > 100 && cap(c.calls) > 8*nodes && messages >= n {
		t.Errorf("rank 0 got %d messages", messages)
	}
	c.clean()
}

// crowd is a simulation in which all processes end the job. The clock of rank 0 stands until all others have reported.
type crowd struct {
	*simulation
	known   chan struct{}  // closed when rank 0 knows of the first error
	told    chan struct{}  // closed when all other ranks have reported to rank 0, or failed to
	all     chan time.Time // closed when rank 0 has failed, too
	left    atomic.Int32   // ranks that have not reported yet
	lost    atomic.Int32   // ranks that failed to report
	calls   chan struct{}  // limits the number of calls at the same time
	calling []atomic.Bool  // by rank
}

func newCrowd(t *testing.T, n int) *crowd {
	t.Helper()
	c := &crowd{
		simulation: newSimulation(t, n), known: make(chan struct{}), told: make(chan struct{}),
		all:   make(chan time.Time),
		calls: make(chan struct{}, mostCalls(t)), calling: make([]atomic.Bool, n),
	}
	c.left.Store(int32(n - 1))
	c.shared, c.timeless, c.messages = true, true, time.Hour
	c.plan = func(_ int, at plan.JobFacts) (plan.Plan, error) {
		o := smallest()
		o.MinProcesses = &n
		return plan.New(o, at)
	}
	c.arms[0].Quiet = true
	c.hurry = func(p *process) {
		if p.rank > 0 {
			c.calls <- struct{}{}
			c.calling[p.rank].Store(true)
		}
	}
	var first sync.Once
	c.wait = func(p *process, d time.Duration) (<-chan time.Time, bool) {
		switch {
		case p == nil:
			return time.After(0), d == grace
		case p.rank > 0:
			c.called(p, d)
		case d == gatherTime:
			first.Do(func() {
				close(c.known)
				go c.gather()
			})
			return c.all, true
		case d == flushTime:
			return time.After(0), true
		}
		return nil, false
	}
	return c
}

// mostCalls returns how many ranks can report to rank 0 at the same time. Each needs four file descriptors of this
// process, including those of its relay. In a real job, each process has its own descriptors, and there are more
// processors.
func mostCalls(t *testing.T) int {
	t.Helper()
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	return int(min(files.Cur, 1<<20)) / 8
}

// called is called when a rank begins to wait. If the rank was calling rank 0, that call has succeeded or failed. In
// both cases the rank ends with the job.
func (c *crowd) called(p *process, d time.Duration) {
	if !c.calling[p.rank].Swap(false) {
		return
	}
	<-c.calls
	if d != rankZeroTimeout {
		c.lost.Add(1)
		p.awaitEnd()
	}
	if c.left.Add(-1) == 0 {
		close(c.told)
	}
}

// gather lets the time of rank 0 pass when all ranks have reported to it, and rank 0 has failed itself.
func (c *crowd) gather() {
	<-c.told
	e := c.ranks[0].job.ender
	for own, start := false, time.Now(); !own && time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
		e.noticeMu.Lock()
		_, own = e.notice.From[0]
		e.noticeMu.Unlock()
	}
	close(c.all)
}

// Only rank 0 examines the programs of other ranks: all ranks of a node share its processors.
func TestOnlyRank0ComputesTheAmountsOfAWorkload(t *testing.T) {
	const ranks = 3
	var computed, same, refused atomic.Int64
	s := newSimulation(t, ranks)
	s.plan = func(_ int, at plan.JobFacts) (plan.Plan, error) {
		if all, known := at.ShareAmounts(func() (workload.Amounts, error) {
			return workload.Amounts{Files: uint64(computed.Add(1))}, nil
		}); known && all.Files == 1 {
			same.Add(1)
		}
		if _, known := at.ShareAmounts(func() (workload.Amounts, error) {
			return workload.Amounts{}, errors.New("no")
		}); !known {
			refused.Add(1)
		}
		return plan.New(smallest(), at)
	}
	s.run()
	s.statuses(result.ExitOK)
	if computed.Load() != 1 || same.Load() != ranks || refused.Load() != ranks {
		t.Errorf("%d computed, %d know it, %d know that nobody can, want 1, %d, %d", computed.Load(), same.Load(),
			refused.Load(), ranks, ranks)
	}
}
