package bench

import "h5perf/pkg/mpi"

// group holds the processes that take part in a case: the first ones of the world.
type group struct {
	work   mpi.Comm // nil on a process that does not take part
	nodes  int      // number of nodes of the group
	leader bool     // this process is the first of its node
}

// groups holds the groups of all cases, by number of processes. They are made before the first case, so that no case
// waits for processes that are still busy with another one.
type groups map[int]*group

// add returns the group of the first processes of the world, and makes it if there is none yet. Collective over the
// world.
func (g groups) add(world mpi.Comm, processes int) *group {
	if g[processes] != nil {
		return g[processes]
	}
	color := 0
	if world.Rank() >= processes {
		color = -1
	}
	made := &group{work: world.Split(color, world.Rank())}
	if made.work != nil {
		local, nodes := mpi.Node(made.work)
		made.leader, made.nodes = local == 0, nodes
	}
	g[processes] = made
	return made
}

// free frees the communicators of all groups. Collective.
func (g groups) free() {
	for _, one := range g {
		if one.work != nil {
			one.work.Free()
		}
	}
}
