package bench

import (
	"slices"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// group holds the processes that take part in the cases of a step.
type group struct {
	step    step
	members []int // their ranks in the world, in order: a rank of work is an index
	member  bool  // this process is one of them
	nodes   int   // number of their nodes
	ranks   []int // ranks of work on the node of this process
	cases   int   // number of cases of the group that have not ended

	// The communicators exist on members, from the first visit of a case until the last one has ended.
	work   mpi.Comm
	node   mpi.Comm // those on this node
	leader bool     // this process is the first of its node

	local  mpi.Comm      // the processes that share this one's clock: those of its node, as a rule
	clocks int           // number of clocks of the group
	origin time.Duration // a reading of the clock, the same for all processes that share it
}

// step is what the choice of processes depends on.
type step struct {
	processes int
	spread    result.Spread
}

// groups holds the groups of all steps, in the order of the plans.
type groups struct {
	nodes []int // node of each rank of the world, see mpi.Nodes
	all   []*group
}

// add returns the group of a case, on the process with a rank of the world.
func (g *groups) add(p plan.Case, rank int) *group {
	s := step{p.Processes, p.Parameters.Conditions.Spread}
	i := slices.IndexFunc(g.all, func(one *group) bool { return one.step == s })
	if i < 0 {
		i = len(g.all)
		g.all = append(g.all, newGroup(s, g.nodes, rank))
	}
	g.all[i].cases++
	return g.all[i]
}

// newGroup returns the group of a step, without communicators.
func newGroup(s step, nodes []int, rank int) *group {
	g := &group{step: s, members: chosen(s, nodes)}
	seen := map[int]bool{}
	for i, member := range g.members {
		seen[nodes[member]] = true
		g.member = g.member || member == rank
		if nodes[member] == nodes[rank] {
			g.ranks = append(g.ranks, i)
		}
	}
	g.nodes = len(seen)
	return g
}

// chosen returns the ranks of the world that take part in a step, in ascending order: the first ones, or one rank of
// each node in turn until there are enough. Rank 0 is always one of them. nodes has the node of each rank.
func chosen(s step, nodes []int) []int {
	ranks := make([]int, len(nodes))
	before := make([]int, len(nodes)) // number of lower ranks on the same node
	count := map[int]int{}
	for rank, node := range nodes {
		ranks[rank], before[rank] = rank, count[node]
		count[node]++
	}
	if s.spread == result.SpreadNodes {
		slices.SortStableFunc(ranks, func(a, b int) int { return before[a] - before[b] })
	}
	ranks = ranks[:s.processes]
	slices.Sort(ranks)
	return ranks
}

// open makes the communicators, unless they exist. Collective over the members.
func (g *group) open(world mpi.Comm, clock func() time.Duration) {
	if g.work != nil {
		return
	}
	g.work = world.Group(g.members)
	g.node = g.work.Group(g.ranks)
	g.local = g.node.Split(timeNamespace(), g.node.Rank())
	g.origin = mpi.Broadcast(g.local, clock(), 0)
	g.leader = g.node.Rank() == 0
	clocks := uint64(0)
	if g.local.Rank() == 0 {
		clocks = 1
	}
	mpi.Sum(g.work, &clocks)
	g.clocks = int(clocks)
}

// leave counts a case that has ended, and frees the communicators with the last one. Collective over the members.
func (g *group) leave() {
	if g.cases--; g.cases == 0 {
		g.free()
	}
}

// free frees the communicators, if they exist. Collective over the members.
func (g *group) free() {
	if g.work == nil {
		return
	}
	g.local.Free()
	g.node.Free()
	g.work.Free()
	g.local, g.node, g.work = nil, nil, nil
}

// free frees the communicators of all groups. Collective.
func (g *groups) free() {
	for _, one := range g.all {
		one.free()
	}
}
