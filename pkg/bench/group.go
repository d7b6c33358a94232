package bench

import (
	"slices"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
)

// caseGroup is the group of processes that take part in all cases with the same groupKey.
type caseGroup struct {
	key       groupKey
	member    bool // this process belongs to the group
	worldRank int  // rank of this process in the world
	nodes     int  // number of nodes of the group
	numOnNode int  // number of group processes on this node: those with the lowest ranks
	casesLeft int  // number of cases of the group that have not ended

	// Members have the communicators from the first visit of a case until the last case has ended. In a group that is
	// spread over nodes, work exists from the start.
	work   mpi.Comm
	node   mpi.Comm // the processes of the group on this node
	ranks  []int    // ranks in work of the processes in node
	leader bool     // this process is rank 0 of node

	local     mpi.Comm      // the processes that share the clock of this process: usually its node
	numClocks int           // number of different clocks in the group
	origin    time.Duration // a reading of the clock, the same for all processes that share it
}

// groupKey determines which processes form a group.
type groupKey struct {
	processes int
	spread    option.ProcessSpread
}

// caseGroups holds the groups of all arms.
type caseGroups struct {
	node mpi.Comm // the processes of the world on the node of this process
	all  []*caseGroup
}

// newCaseGroups returns the groups of all arms, without cases. Collective.
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

// boolToCount converts a condition to a number that can be summed: 1 if it is true, otherwise 0.
func boolToCount(holds bool) uint64 {
	if holds {
		return 1
	}
	return 0
}

// isSpreadMember reports whether this process is one of n processes that are spread evenly over the nodes. Processes
// are chosen round-robin: the first process of every node, then the second process of every node, and so on, until
// there are n. local is the rank of this process on its node. Collective.
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
	// Of this turn, only the processes up to some rank take part. Find that rank by bisection.
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

// groupKeyOf returns the key of the group of a case.
func groupKeyOf(p plan.Case) groupKey { return groupKey{p.Processes, p.Parameters.Conditions.Spread} }

// findGroup returns the group with a key, nil if there is none.
func (g *caseGroups) findGroup(s groupKey) *caseGroup {
	i := slices.IndexFunc(g.all, func(one *caseGroup) bool { return one.key == s })
	if i < 0 {
		return nil
	}
	return g.all[i]
}

// addCase counts a case in its group, and returns the group.
func (g *caseGroups) addCase(p plan.Case) *caseGroup {
	one := g.findGroup(groupKeyOf(p))
	one.casesLeft++
	return one
}

// isSpread reports whether the processes of the group are spread over the nodes.
func (g *caseGroup) isSpread() bool { return g.key.spread == option.SpreadNodes }

// openComms creates the communicators, unless they exist. node is the communicator of the processes of this node.
// Collective over the members.
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
	mpi.SumInPlace(g.work, &clocks)
	g.numClocks = int(clocks)
}

// gatherRanks returns, on each process of a node, the values that all processes of the node passed as own. Collective.
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

// toWorldRanks replaces each rank in the communicator g.work by the rank of the same process in the world. Collective.
func (g *caseGroup) toWorldRanks(ranks []int) {
	if !g.isSpread() {
		return // ranks are the same in work and in the world
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

// noteGroupCaseEnd notes that a case has ended, and frees the communicators after the last case. Collective over the
// members.
func (g *caseGroup) noteGroupCaseEnd() {
	if g.casesLeft--; g.casesLeft == 0 {
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
