package bench_test

import (
	"fmt"
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
)

// placed is a communicator of processes on nodes that the test chooses. It counts the existing communicators of this
// process.
type placed struct {
	mpi.Comm
	node       int
	live, most *int
}

// on2Nodes returns a world whose first half is on one node, and whose second half is on another.
func on2Nodes(world mpi.Comm) placed {
	return placed{world, 2 * world.Rank() / world.Size(), new(int), new(int)}
}

func (c placed) part(part mpi.Comm) mpi.Comm {
	if part == nil {
		return nil
	}
	*c.live++
	*c.most = max(*c.most, *c.live)
	return placed{part, c.node, c.live, c.most}
}

func (c placed) Split(color, key int) mpi.Comm { return c.part(c.Comm.Split(color, key)) }

func (c placed) SplitNode() mpi.Comm { return c.part(c.Comm.Split(c.node, c.Rank())) }

func (c placed) SplitFirst(n int) mpi.Comm { return c.part(c.Comm.SplitFirst(n)) }

func (c placed) Free() {
	*c.live--
	c.Comm.Free()
}

// halves returns options for a run with POSIX on all processes, on half of them, and so on.
func halves(world mpi.Comm, c option.Conditions) plan.Options {
	o := small(world, c)
	o.APIs, o.MinProcesses = []string{result.POSIX}, nil
	return o
}

func TestASpreadOverNodesKeepsAllNodesAtWork(t *testing.T) {
	for spread, want := range map[option.ProcessSpread]struct {
		nodes string
		took  [4]int // number of cases that each rank takes part in
	}{
		option.SpreadRanks: {"4 on 2, 2 on 1, 1 on 1, ", [4]int{3, 2, 1, 1}},
		option.SpreadNodes: {"4 on 2, 2 on 2, 1 on 1, ", [4]int{3, 1, 2, 1}},
	} {
		mpitest.InMemory(t, mpi.MemoryJobOptions{}, 4, func(world mpi.Comm) {
			took := 0
			engines := map[string]func() engine.Engine{result.POSIX: func() engine.Engine {
				took++
				return null.New(null.Options{})
			}}
			_, cases := measure(t, on2Nodes(world), halves(world, option.Conditions{Spread: spread}),
				mpitest.Dir(t, world), engines)
			complete(t, string(spread), cases, true)
			nodes := ""
			for _, c := range cases {
				nodes += fmt.Sprintf("%d on %d, ", c.Processes, c.Nodes)
			}
			if r := world.Rank(); nodes != want.nodes || took != want.took[r] {
				t.Errorf("%s: %s and rank %d in %d cases, want %+v", spread, nodes, r, took, want)
			}
		})
	}
}

// The document reports ranks in the world, like its placement.
func TestTheSlowestRankIsThatOfTheWorld(t *testing.T) {
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, 4, func(world mpi.Comm) {
		o := halves(world, option.Conditions{Spread: option.SpreadNodes, Latency: true})
		o.MinProcesses, o.MaxProcesses = new(2), new(2)
		var now time.Duration
		engines := nullEngines(null.Options{Fail: func(null.Step) error {
			now += time.Duration(1+world.Rank()) * time.Second // so the member with the highest rank, 2, is the slowest
			return nil
		}})
		_, cases := measureWith(t, on2Nodes(world), o, mpitest.Dir(t, world), engines, func(cfg *bench.Config) {
			cfg.Clock = func() time.Duration { return now }
		})
		if len(cases) != 1 || len(cases[0].Samples) != 2 || len(cases[0].Latencies) != 2 {
			t.Errorf("cases %+v", cases)
			return
		}
		for _, s := range cases[0].Samples {
			if s.Access.MaxRank != 2 {
				t.Errorf("the slowest rank of the %s is %d, want 2", s.Operation, s.Access.MaxRank)
			}
		}
		var ranks []int
		for _, s := range cases[0].Latencies[0].SlowestRanks {
			ranks = append(ranks, s.Rank)
		}
		if slices.Sort(ranks); !slices.Equal(ranks, []int{0, 2}) {
			t.Errorf("latencies of ranks %v, want 0 and 2", ranks)
		}
	})
}

func TestTheCommunicatorsOfAStepAreFreedAfterIt(t *testing.T) {
	for order, want := range map[option.CaseOrder]int{
		option.OrderGiven:  4,  // those of one group, and that of the node
		option.OrderRandom: 10, // those of three groups, which are measured in turns, and that of the node
	} {
		mpitest.InMemory(t, mpi.MemoryJobOptions{}, 4, func(world mpi.Comm) {
			counted, o := on2Nodes(world), halves(world, option.Conditions{Order: order})
			o.Iterations = new(2)
			_, cases := measure(t, counted, o, mpitest.Dir(t, world), nullEngines(null.Options{}))
			complete(t, string(order), cases, true)
			if *counted.live != 0 || world.Rank() == 0 && *counted.most != want {
				t.Errorf("%s, rank %d: %d communicators at most, %d left; want %d and 0", order, world.Rank(),
					*counted.most, *counted.live, want)
			}
		})
	}
}
