//go:build scale

package run

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"h5perf/pkg/engine"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

const nodeRanks = 128

// The test compares the job with the most ranks to the one with the fewest. mostGrowth limits the ratio of counts and
// of bytes, and mostTime that of processor time per rank. mostWait limits the ratio of message times, divided by the
// levels of a tree of all ranks.
const (
	mostGrowth = 1.5
	mostTime   = 4
	mostWait   = 1.1
)

// hopTime is the time of a message between two ranks, by the clocks of the run. moveTime is the time of a transfer on
// ranks 0, 2, 4 and so on. A transfer on the other ranks takes twice as long.
const (
	hopTime  = 2 * time.Microsecond
	moveTime = time.Millisecond
)

// TestRanksCostTheSameInJobsOfAnySize runs whole jobs of up to 128 000 ranks in this process: start, placement, sweep,
// document and end. The costs per rank must not grow with the number of ranks.
func TestRanksCostTheSameInJobsOfAnySize(t *testing.T) {
	for _, layout := range []struct {
		name  string
		bound func(rank int) string
		sizes []int
	}{
		{"not bound", nil, sizes()[:2]},
		{"bound to pairs of processors", func(rank int) string {
			first := rank % nodeRanks / 2 * 2
			return fmt.Sprintf("%d-%d", first, first+1)
		}, sizes()[:2]},
		{"bound to one processor", func(rank int) string { return strconv.Itoa(rank % nodeRanks) }, sizes()},
	} {
		t.Run(layout.name, func(t *testing.T) {
			var fewest costs
			for _, n := range layout.sizes {
				s := virtual(t, n, layout.bound, nil)
				c, doc := measured(t, s, n)
				c.levels, c.waits = bits.Len(uint(n-1)), waits(t, doc)
				t.Logf("%6d ranks: %v", n, c)
				if fewest.counts == nil {
					fewest = c
				}
				c.compare(t, fewest)
			}
		})
	}
}

// TestRanksOfAWorkloadCostTheSameInJobsOfAnySize runs a workload that uses each rule.
func TestRanksOfAWorkloadCostTheSameInJobsOfAnySize(t *testing.T) {
	var fewest costs
	for _, n := range sizes()[:2] {
		s := virtual(t, n, nil, nil)
		s.plan = func(_ int, at plan.JobFacts) (plan.Plan, error) {
			return plan.New(plan.Options{
				Workload: &plan.WorkloadOptions{
					Application: option.Application{Workload: "rules.star", APIs: []string{result.POSIX}}, Text: []byte(allRules),
				},
			}, at)
		}
		c, doc := measured(t, s, n)
		t.Logf("%6d ranks: %v", n, c)
		if samples := doc.Cases[0].Samples; len(samples) != 1 || samples[0].Bytes != 12*uint64(n)+2 {
			t.Errorf("%d ranks: samples %+v", n, samples)
		}
		if fewest.counts == nil {
			fewest = c
		}
		c.compare(t, fewest)
	}
}

// allRules is a workload that uses each rule. Each rank writes 12 bytes, and the first and the last rank also a corner.
const allRules = `"""Each rule."""

N = job.ranks

def write(job):
    f = job.create("f")
    for name, dims, part in [
        ("block", (N,), block()), ("slab", (N,), slab()), ("concat", (N,), concat(count = 1)),
        ("cyclic", (N,), cyclic(dim = 0, length = 1)), ("map", (N,), map(dim = 0, length = 1)),
        ("slice", (N, 2), slice(dim = 1, index = 1)), ("frame", (N, 2), frame(width = 1)),
        ("corners", (N, N), corners(width = 1)), ("diagonal", (N, N), diagonal(width = 1)),
        ("all", (1,), everything()), ("none", (N,), nothing()), ("random", (N,), random(count = 1)),
        ("strided", (N,), strided(count = 1, length = 1)),
    ]:
        d = f.create_dataset(name, dims, "u1")
        d.write(part)
        d.close()
    f.close()
`

// TestAllRanksFailAtOnce runs jobs in which all ranks fail to open a file at the same time. The error must count all
// ranks.
func TestAllRanksFailAtOnce(t *testing.T) {
	for _, n := range sizes()[:2] {
		s := virtual(t, n, nil, func(int, workload.Op) error { return syscall.EIO })
		s.run()
		s.statuses(result.ExitFailed)
		doc := s.document(s.json, result.Failed, result.ExitFailed)
		if e := doc.Cases[0].Error; e == nil || e.Ranks != n || e.Rank != 0 {
			t.Errorf("%d ranks: %+v", n, e)
		}
	}
}

// TestOneRankFailsAmongMany runs jobs in which one rank fails to open a file.
func TestOneRankFailsAmongMany(t *testing.T) {
	for _, n := range sizes()[:2] {
		s := virtual(t, n, nil, func(rank int, _ workload.Op) error {
			if rank == n-7 {
				return syscall.EIO
			}
			return nil
		})
		s.run()
		s.statuses(result.ExitFailed)
		doc := s.document(s.json, result.Failed, result.ExitFailed)
		if e := doc.Cases[0].Error; e == nil || e.Ranks != 1 || e.Rank != n-7 {
			t.Errorf("%d ranks: %+v", n, e)
		}
	}
}

// sizes returns the numbers of ranks. SCALE_MOST is the highest of them, 128 000 by default.
func sizes() []int {
	most, err := strconv.Atoi(os.Getenv("SCALE_MOST"))
	if err != nil {
		most = 128000
	}
	return []int{min(1000, most), min(16000, most), most}
}

// virtual returns a job of n ranks on nodes of 128 ranks. All ranks take part in one step of the sweep, and half of
// them in another one.
func virtual(t *testing.T, n int, bound func(int) string, fails func(int, workload.Op) error) *simulation {
	t.Helper()
	s := newSimulation(t, n)
	s.node = func(rank int) int { return rank / nodeRanks }
	s.cpus, s.bound = fmt.Sprintf("0-%d", nodeRanks-1), bound
	s.shared, s.timeless = true, true
	s.clocks, s.hop = make([]mpi.Clock, n), hopTime
	s.engines = map[string]func() engine.Engine{
		result.POSIX: func() engine.Engine { return forgetful{fails, s.clocks} },
	}
	s.plan = func(_ int, at plan.JobFacts) (plan.Plan, error) {
		o := smallest()
		o.BytesPerProcess = new(uint64(16 << 10)) // the buffers of all ranks are in this process
		for _, size := range []**uint64{&o.BlockSize, &o.MinTransferSize, &o.MaxTransferSize} {
			*size = new(uint64(4 << 10))
		}
		o.MinProcesses, o.MaxProcesses = new(n/2), new(n)
		return plan.New(o, at)
	}
	return s
}

type costs struct {
	counts
	levels int           // of a tree of all ranks
	time   time.Duration // processor time per rank
	waits  time.Duration // time of messages, by the clocks of the run
	wall   time.Duration
}

func (c costs) String() string {
	return fmt.Sprintf("%v, processor time %v per rank, messages take %v, %v in all", c.counts, c.time, c.waits,
		c.wall.Round(time.Millisecond))
}

// compare checks that c is not much more than the costs of a small job.
func (c costs) compare(t *testing.T, small costs) {
	t.Helper()
	c.counts.compare(t, small.counts)
	if c.time > mostTime*small.time {
		t.Errorf("processor time per rank: %v, and %v with the fewest ranks", c.time, small.time)
	}
	if small.levels > 0 && float64(c.waits)/float64(c.levels) > mostWait*float64(small.waits)/float64(small.levels) {
		t.Errorf("messages along trees of %d levels take %v, and %v along those of %d levels", c.levels, c.waits,
			small.waits, small.levels)
	}
}

// counts holds numbers of calls, bytes and other items, by name.
type counts map[string]float64

// compare checks that c is not much more than the counts of a small job.
func (c counts) compare(t *testing.T, small counts) {
	t.Helper()
	for name, value := range c {
		if first := small[name]; value > mostGrowth*first {
			t.Errorf("%s: %v, and %v with the fewest ranks", name, value, first)
		}
	}
}

// measured runs a job of n ranks, and returns its costs, without the times of messages, and its document.
func measured(t *testing.T, s *simulation, n int) (costs, result.Document) {
	t.Helper()
	var counted traffic
	s.wrap = func(_ int, world mpi.Comm) mpi.Comm { return &countingComm{world, &counted} }
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start, used := time.Now(), processorTime()
	s.run()
	used = processorTime() - used
	runtime.ReadMemStats(&after)
	s.statuses(result.ExitOK)
	doc := s.document(s.json, result.Complete, result.ExitOK)
	info, err := os.Stat(s.json)
	if err != nil {
		t.Fatal(err)
	}
	each := func(total uint64) float64 { return math.Round(float64(total) / float64(n)) }
	nodes := (n-1)/nodeRanks + 1
	return costs{
		counts: counts{
			"bytes allocated per rank":            each(after.TotalAlloc - before.TotalAlloc),
			"allocations per rank":                each(after.Mallocs - before.Mallocs),
			"collective calls per rank":           each(counted.calls.Load()),
			"bytes in collective calls, per rank": each(counted.bytes.Load()),
			"bytes gathered at rank 0, per node":  math.Round(float64(counted.gathered.Load()) / float64(nodes)),
			"bytes of the document":               float64(info.Size()),
		},
		time: used / time.Duration(n), wall: time.Since(start),
	}, doc
}

// waits returns the time of messages between the start and the end of a document: everything except the transfers. It
// checks that the times of transfers contain no messages, and that a barrier takes one message per level of a tree.
func waits(t *testing.T, doc result.Document) time.Duration {
	t.Helper()
	const transfers = 4 * moveTime // on an even rank
	want := result.Interval{
		WindowSeconds: (2 * transfers).Seconds(), Max: (2 * transfers).Seconds(), MaxRank: 1, Min: transfers.Seconds(),
		Mean: 1.5 * transfers.Seconds(), Deviation: 0.5 * transfers.Seconds(),
	}
	rest := doc.Finished.Sub(doc.Started)
	for _, c := range doc.Cases {
		for _, s := range c.Samples {
			got := s.ClassInterval(workload.Transfer)
			got.Mean = math.Round(got.Mean*1e9) / 1e9 // rounds off errors of summation
			got.Deviation = math.Round(got.Deviation*1e9) / 1e9
			if got != want {
				t.Errorf("%d ranks, %s: transfers take %+v, want %+v", c.Processes, s.Operation,
					s.ClassInterval(workload.Transfer), want)
			}
			rest -= 2 * transfers
		}
		skew := time.Duration(bits.Len(uint(c.Processes-1))) * hopTime
		if c.Nodes > 1 && c.BarrierSkew != skew.Seconds() {
			t.Errorf("%d ranks: a barrier takes %v s, want %v", c.Processes, c.BarrierSkew, skew)
		}
	}
	return rest
}

func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail for this process
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// traffic counts the collective calls of all ranks.
type traffic struct{ calls, bytes, gathered atomic.Uint64 }

// countingComm counts the collective calls of a rank, and the bytes that the rank sends and receives in them.
type countingComm struct {
	mpi.Comm
	all *traffic
}

func (c *countingComm) count(bytes int) {
	c.all.calls.Add(1)
	c.all.bytes.Add(uint64(bytes))
}

func (c *countingComm) Barrier() {
	c.count(0)
	c.Comm.Barrier()
}

func (c *countingComm) Agree(code int, hurry func() bool, grace time.Duration, how mpi.WaitMode) (int, int, error) {
	c.count(8)
	return c.Comm.Agree(code, hurry, grace, how)
}

func (c *countingComm) Reduce(values []float64) []mpi.ReducedValue {
	c.count(8 * len(values))
	return c.Comm.Reduce(values)
}

func (c *countingComm) SumUint64(values []uint64) {
	c.count(8 * len(values))
	c.Comm.SumUint64(values)
}

func (c *countingComm) Bcast(data []byte, root int) []byte {
	data = c.Comm.Bcast(data, root)
	c.count(len(data))
	return data
}

func (c *countingComm) Gather(data []byte) [][]byte {
	c.count(len(data))
	all := c.Comm.Gather(data)
	for _, one := range all {
		c.all.gathered.Add(uint64(len(one)))
	}
	return all
}

func (c *countingComm) Split(color, key int) mpi.Comm {
	c.count(16)
	if part := c.Comm.Split(color, key); part != nil {
		return &countingComm{part, c.all}
	}
	return nil
}

func (c *countingComm) SplitFirst(n int) mpi.Comm {
	c.count(0)
	return &countingComm{c.Comm.SplitFirst(n), c.all}
}

func (c *countingComm) SplitNode() mpi.Comm {
	c.count(16)
	return &countingComm{c.Comm.SplitNode(), c.all}
}

// forgetful is an engine that stores no data: only the first process creates the file, and it stays empty.
type forgetful struct {
	fails  func(rank int, op workload.Op) error // called before a file is opened
	clocks []mpi.Clock                          // clocks of all processes
}

func (f forgetful) Prepare(env engine.Env, program workload.Program) (engine.Session, error) {
	return &forgotten{forgetful: f, env: env, program: program}, nil
}

// forgotten is a session of a forgetful engine, with its file.
type forgotten struct {
	forgetful
	env     engine.Env
	program workload.Program
	done    uint64 // number of transfers done in the dataset
}

func (f *forgotten) Do(b *workload.Batch) error {
	rank := f.env.Comm.Rank()
	switch b.Class {
	case workload.FileOpen:
		return f.open(rank, b)
	case workload.Create, workload.Open:
		f.done = 0
	case workload.Transfer:
		f.done += b.NumTransfers
		f.clocks[rank].Advance(time.Duration(b.NumTransfers) * moveTime * time.Duration(1+rank%2))
	}
	return nil
}

func (f *forgotten) open(rank int, b *workload.Batch) error {
	if f.fails != nil {
		if err := f.fails(rank, b.Op); err != nil {
			return &engine.CallError{Call: "open", Path: b.Path, Err: err}
		}
	}
	if rank == 0 && b.Op == workload.Write {
		size, _ := f.FileBytes(0)
		if err := os.Truncate(b.Path, int64(size)); err != nil {
			return &engine.CallError{Call: "truncate", Path: b.Path, Err: errors.Unwrap(err)}
		}
	}
	return nil
}

func (f *forgotten) Progress(int) engine.Progress {
	return engine.Progress{Transfers: f.done, Bytes: f.done * f.program.Moves[0].Buffer.SlotBytes, Calls: f.done}
}
func (f *forgotten) FileBytes(int) (uint64, bool)   { return f.program.Files[0].Bytes, true }
func (f *forgotten) FileNames(path string) []string { return []string{filepath.Base(path)} }
func (f *forgotten) CallName(op workload.Op) string { return "forget " + op.String() }
func (f *forgotten) Report() engine.APIReport       { return engine.APIReport{} }
func (f *forgotten) CollectiveSync() bool           { return false }
func (f *forgotten) CloseAfterError()               {}
func (f *forgotten) Close() error                   { return nil }
