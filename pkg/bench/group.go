package bench

import (
	"slices"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
)

// caseGroup holds the processes that take part in the cases of a step.
type caseGroup struct {
	key       groupKey
	member    bool // this process is one of them
	worldRank int  // rank of this process in the world
	nodes     int  // number of nodes of the group
	numOnNode int  // number of its processes on the node of this one: the first ones of that node
	cases     int  // number of cases of the group that have not ended

	// The communicators exist on members, from the first visit of a case until the last one has ended. work of a group
	// that is spread over nodes exists from the start.
	work   mpi.Comm
	node   mpi.Comm // those on this node
	ranks  []int    // their ranks in work
	leader bool     // this process is the first of its node

	local     mpi.Comm      // the processes that share this one's clock: those of its node, as a rule
	numClocks int           // number of clocks of the group
	origin    time.Duration // a reading of the clock, the same for all processes that share it
}

// groupKey is what the choice of processes depends on.
type groupKey struct {
	processes int
	spread    option.Spread
}

// caseGroups holds the groups of all steps.
type caseGroups struct {
	node mpi.Comm // the processes of the world on the node of this process
	all  []*caseGroup
}

// newCaseGroups returns the groups of the steps of all arms, without cases. Collective.
func newCaseGroups(world mpi.Comm, arms []Arm) caseGroups {
	g := caseGroups{node: world.SplitNode()}
	for _, arm := range arms {
		for p := range arm.Plan.Cases() {
			if s := groupKeyOf(p); g.findGroup(s) == nil {
				g.all = append(g.all, &caseGroup{key: s, worldRank: world.Rank()})
			}
		}
	}
	here, nodes := make([]uint64, len(g.all)), make([]uint64, len(g.all))
	for i, one := range g.all {
		one.member = world.Rank() < one.key.processes
		if one.isSpread() && one.key.processes < world.Size() {
			one.member = isSpreadMember(world, g.node.Rank(), one.key.processes)
		}
		here[i], nodes[i] = boolToCount(one.member), boolToCount(one.member && g.node.Rank() == 0)
	}
	g.node.SumUint64(here)
	world.SumUint64(nodes)
	for i, one := range g.all {
		one.numOnNode, one.nodes = int(here[i]), int(nodes[i])
		if one.isSpread() {
			one.work = world.Split(-int(boolToCount(!one.member)), world.Rank())
		}
	}
	return g
}

// boolToCount returns 1 if a condition holds, otherwise 0.
func boolToCount(holds bool) uint64 {
	if holds {
		return 1
	}
	return 0
}

// isSpreadMember reports whether this process is one of n that are spread over the nodes: one process of each node in
// turn until there are enough, in the order of ranks. local is its rank on its node. Collective.
func isSpreadMember(world mpi.Comm, local, n int) bool {
	most := int(world.Reduce([]float64{float64(local)})[0].Max)
	turns := make([]uint64, most+1) // number of processes by local rank
	turns[local] = 1
	world.SumUint64(turns)
	turn, left := 0, uint64(n)
	for left > turns[turn] {
		left -= turns[turn]
		turn++
	}
	if left == turns[turn] {
		return local <= turn
	}
	// Of this turn, those up to some rank take part, which is found by halving.
	low, high := 0, world.Size()-1
	for low < high {
		middle := (low + high) / 2
		up := []uint64{boolToCount(local == turn && world.Rank() <= middle)}
		world.SumUint64(up)
		if up[0] >= left {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return local < turn || local == turn && world.Rank() <= low
}

// groupKeyOf returns the step of a case.
func groupKeyOf(p plan.Case) groupKey { return groupKey{p.Processes, p.Parameters.Conditions.Spread} }

// findGroup returns the group of a step, nil if there is none.
func (g *caseGroups) findGroup(s groupKey) *caseGroup {
	i := slices.IndexFunc(g.all, func(one *caseGroup) bool { return one.key == s })
	if i < 0 {
		return nil
	}
	return g.all[i]
}

// addCase adds a case to its group, and returns the group.
func (g *caseGroups) addCase(p plan.Case) *caseGroup {
	one := g.findGroup(groupKeyOf(p))
	one.cases++
	return one
}

// isSpread reports whether the processes are spread over the nodes.
func (g *caseGroup) isSpread() bool { return g.key.spread == option.SpreadNodes }

// openComms makes the communicators, unless they exist. node has the processes of this node. Collective over the
// members.
func (g *caseGroup) openComms(world, node mpi.Comm, clock func() time.Duration) {
	if g.node != nil {
		return
	}
	if g.work == nil {
		g.work = world.SplitFirst(g.key.processes)
	}
	g.node = node.SplitFirst(g.numOnNode)
	g.ranks = gatherRanks(g.node, g.work.Rank())
	g.local = g.node.Split(timeNamespace(), g.node.Rank())
	g.origin = mpi.Broadcast(g.local, clock(), 0)
	g.leader = g.node.Rank() == 0
	clocks := boolToCount(g.local.Rank() == 0)
	mpi.Sum(g.work, &clocks)
	g.numClocks = int(clocks)
}

// gatherRanks returns the numbers of all processes of a node, on each of them. Collective.
func gatherRanks(node mpi.Comm, own int) []int {
	numbers := make([]uint64, node.Size())
	numbers[node.Rank()] = uint64(own)
	node.SumUint64(numbers)
	all := make([]int, len(numbers))
	for i, n := range numbers {
		all[i] = int(n)
	}
	return all
}

// toWorldRanks replaces ranks of work by those of the same processes in the world. Collective.
func (g *caseGroup) toWorldRanks(ranks []int) {
	if !g.isSpread() {
		return // these are the same
	}
	found := make([]uint64, len(ranks))
	for i, rank := range ranks {
		if rank == g.work.Rank() {
			found[i] = uint64(g.worldRank)
		}
	}
	g.work.SumUint64(found)
	for i := range ranks {
		ranks[i] = int(found[i])
	}
}

// leaveGroup counts a case that has ended, and frees the communicators with the last one. Collective over the members.
func (g *caseGroup) leaveGroup() {
	if g.cases--; g.cases == 0 {
		g.freeComms()
	}
}

// freeComms frees the communicators, if they exist. Collective over the members.
func (g *caseGroup) freeComms() {
	if g.node != nil {
		g.local.Free()
		g.node.Free()
	}
	if g.work != nil {
		g.work.Free()
	}
	g.local, g.node, g.work = nil, nil, nil
}

// freeAllComms frees the communicators of all groups. Collective.
func (g *caseGroups) freeAllComms() {
	for _, one := range g.all {
		one.freeComms()
	}
	g.node.Free()
}
