package bench

import (
	"time"

	"h5perf/pkg/mpi"
)

// group holds the processes that take part in a case: the first ones of the world.
type group struct {
	work   mpi.Comm // nil on a process that does not take part
	nodes  int      // number of nodes of the group
	node   mpi.Comm // the processes of the group on this node
	leader bool     // this process is the first of its node
	ranks  []int    // on the first process of a node: the ranks of the group on its node; see gatherRanks

	local  mpi.Comm      // the processes that share this one's clock: those of its node, as a rule
	clocks int           // number of clocks of the group
	origin time.Duration // a reading of the clock, the same for all processes that share it
}

// groups holds the groups of all cases, by number of processes. They are made before the first case, so that no case
// waits for processes that are still busy with another one.
type groups map[int]*group

// add returns the group of the first processes of the world, and makes it if there is none yet. Collective over the
// world.
func (g groups) add(world mpi.Comm, processes int, clock func() time.Duration) *group {
	if g[processes] != nil {
		return g[processes]
	}
	color := 0
	if world.Rank() >= processes {
		color = -1
	}
	made := &group{work: world.Split(color, world.Rank())}
	if made.work != nil {
		made.place(clock)
	}
	g[processes] = made
	return made
}

// place finds out which processes are on this node, and which of them share a clock. Collective.
func (g *group) place(clock func() time.Duration) {
	g.node = g.work.SplitNode()
	g.local = g.node.Split(timeNamespace(), g.node.Rank())
	g.origin = mpi.Broadcast(g.local, clock(), 0)
	nodes, clocks := uint64(0), uint64(0)
	if g.leader = g.node.Rank() == 0; g.leader {
		nodes = 1
	}
	if g.local.Rank() == 0 {
		clocks = 1
	}
	mpi.Sum(g.work, &nodes, &clocks)
	g.nodes, g.clocks = int(nodes), int(clocks)
}

// free frees the communicators of all groups. Collective.
func (g groups) free() {
	for _, one := range g {
		if one.work != nil {
			one.local.Free()
			one.node.Free()
			one.work.Free()
		}
	}
}
