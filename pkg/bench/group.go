package bench

import "h5perf/pkg/mpi"

// group is the first processes of the world, as many as a step has.
type group struct {
	work   mpi.Comm // nil on a process that is left out
	nodes  int
	leader bool // this process is the first of its node
}

// groups are those of all steps, by number of processes. They are made before the first case, so that no case waits for
// processes that come late from another one.
type groups map[int]*group

// add makes a group unless it is there. Collective over the world.
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

func (g groups) free() {
	for _, one := range g {
		if one.work != nil {
			one.work.Free()
		}
	}
}
