package bench

import (
	"slices"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
)

// group holds the processes that take part in the cases of a step.
type group struct {
	step   step
	member bool // this process is one of them
	world  int  // rank of this process in the world
	nodes  int  // number of nodes of the group
	here   int  // number of its processes on the node of this one: the first ones of that node
	cases  int  // number of cases of the group that have not ended

	// The communicators exist on members, from the first visit of a case until the last one has ended. work of a group
	// that is spread over nodes exists from the start.
	work   mpi.Comm
	node   mpi.Comm // those on this node
	ranks  []int    // their ranks in work
	leader bool     // this process is the first of its node

	local  mpi.Comm      // the processes that share this one's clock: those of its node, as a rule
	clocks int           // number of clocks of the group
	origin time.Duration // a reading of the clock, the same for all processes that share it
}

// step is what the choice of processes depends on.
type step struct {
	processes int
	spread    option.Spread
}

// groups holds the groups of all steps.
type groups struct {
	node mpi.Comm // the processes of the world on the node of this process
	all  []*group
}

// newGroups returns the groups of the steps of all arms, without cases. Collective.
func newGroups(world mpi.Comm, arms []Arm) groups {
	g := groups{node: world.SplitNode()}
	for _, arm := range arms {
		for p := range arm.Plan.Cases() {
			if s := stepOf(p); g.of(s) == nil {
				g.all = append(g.all, &group{step: s, world: world.Rank()})
			}
		}
	}
	here, nodes := make([]uint64, len(g.all)), make([]uint64, len(g.all))
	for i, one := range g.all {
		one.member = world.Rank() < one.step.processes
		if one.spread() && one.step.processes < world.Size() {
			one.member = chosen(world, g.node.Rank(), one.step.processes)
		}
		here[i], nodes[i] = count(one.member), count(one.member && g.node.Rank() == 0)
	}
	g.node.SumUint64(here)
	world.SumUint64(nodes)
	for i, one := range g.all {
		one.here, one.nodes = int(here[i]), int(nodes[i])
		if one.spread() {
			one.work = world.Split(-int(count(!one.member)), world.Rank())
		}
	}
	return g
}

// count returns 1 if a condition holds, otherwise 0.
func count(holds bool) uint64 {
	if holds {
		return 1
	}
	return 0
}

// chosen reports whether this process is one of n that are spread over the nodes: one process of each node in turn
// until there are enough, in the order of ranks. local is its rank on its node. Collective.
func chosen(world mpi.Comm, local, n int) bool {
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
		up := []uint64{count(local == turn && world.Rank() <= middle)}
		world.SumUint64(up)
		if up[0] >= left {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return local < turn || local == turn && world.Rank() <= low
}

// stepOf returns the step of a case.
func stepOf(p plan.Case) step { return step{p.Processes, p.Parameters.Conditions.Spread} }

// of returns the group of a step, nil if there is none.
func (g *groups) of(s step) *group {
	i := slices.IndexFunc(g.all, func(one *group) bool { return one.step == s })
	if i < 0 {
		return nil
	}
	return g.all[i]
}

// add adds a case to its group, and returns the group.
func (g *groups) add(p plan.Case) *group {
	one := g.of(stepOf(p))
	one.cases++
	return one
}

// spread reports whether the processes are spread over the nodes.
func (g *group) spread() bool { return g.step.spread == option.SpreadNodes }

// open makes the communicators, unless they exist. node has the processes of this node. Collective over the members.
func (g *group) open(world, node mpi.Comm, clock func() time.Duration) {
	if g.node != nil {
		return
	}
	if g.work == nil {
		g.work = world.First(g.step.processes)
	}
	g.node = node.First(g.here)
	g.ranks = shared(g.node, g.work.Rank())
	g.local = g.node.Split(timeNamespace(), g.node.Rank())
	g.origin = mpi.Broadcast(g.local, clock(), 0)
	g.leader = g.node.Rank() == 0
	clocks := count(g.local.Rank() == 0)
	mpi.Sum(g.work, &clocks)
	g.clocks = int(clocks)
}

// shared returns the numbers of all processes of a node, on each of them. Collective.
func shared(node mpi.Comm, own int) []int {
	numbers := make([]uint64, node.Size())
	numbers[node.Rank()] = uint64(own)
	node.SumUint64(numbers)
	all := make([]int, len(numbers))
	for i, n := range numbers {
		all[i] = int(n)
	}
	return all
}

// inWorld replaces ranks of work by those of the same processes in the world. Collective.
func (g *group) inWorld(ranks []int) {
	if !g.spread() {
		return // these are the same
	}
	found := make([]uint64, len(ranks))
	for i, rank := range ranks {
		if rank == g.work.Rank() {
			found[i] = uint64(g.world)
		}
	}
	g.work.SumUint64(found)
	for i := range ranks {
		ranks[i] = int(found[i])
	}
}

// leave counts a case that has ended, and frees the communicators with the last one. Collective over the members.
func (g *group) leave() {
	if g.cases--; g.cases == 0 {
		g.free()
	}
}

// free frees the communicators, if they exist. Collective over the members.
func (g *group) free() {
	if g.node != nil {
		g.local.Free()
		g.node.Free()
	}
	if g.work != nil {
		g.work.Free()
	}
	g.local, g.node, g.work = nil, nil, nil
}

// free frees the communicators of all groups. Collective.
func (g *groups) free() {
	for _, one := range g.all {
		one.free()
	}
	g.node.Free()
}
