package bench

import (
	"slices"
	"testing"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/mpitest"
)

func TestTheProcessesOfAStepAreChosenByRankOrByNode(t *testing.T) {
	blocks, cyclic := []int{0, 0, 0, 0, 4, 4, 4, 4}, []int{0, 1, 0, 1, 0, 1, 0, 1}
	for _, row := range []struct {
		name         string
		nodes        []int // node of each rank
		n            int
		ranks, nodeN []int // ranks chosen with spread by rank, and by node
	}{
		{"blocks", blocks, 4, []int{0, 1, 2, 3}, []int{0, 1, 4, 5}},
		{"all of them", blocks, 8, []int{0, 1, 2, 3, 4, 5, 6, 7}, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{"one of each node", blocks, 2, []int{0, 1}, []int{0, 4}},
		{"one", blocks, 1, []int{0}, []int{0}},
		{"an odd number", blocks, 5, []int{0, 1, 2, 3, 4}, []int{0, 1, 2, 4, 5}},
		{"cyclic", cyclic, 4, []int{0, 1, 2, 3}, []int{0, 1, 2, 3}},
		{"cyclic, an odd number", cyclic, 3, []int{0, 1, 2}, []int{0, 1, 2}},
		{"uneven nodes", []int{0, 0, 0, 0, 0, 5, 6, 6}, 4, []int{0, 1, 2, 3}, []int{0, 1, 5, 6}},
		{"a node is full", []int{0, 0, 0, 0, 0, 5, 6, 6}, 6, []int{0, 1, 2, 3, 4, 5}, []int{0, 1, 2, 5, 6, 7}},
		{"a small node first", []int{0, 1, 1, 1}, 2, []int{0, 1}, []int{0, 1}},
		{"fewer than nodes", []int{0, 0, 2, 2, 4, 4, 6, 6}, 2, []int{0, 1}, []int{0, 2}},
		{"one node", []int{0, 0, 0, 0}, 2, []int{0, 1}, []int{0, 1}},
	} {
		for spread, want := range map[option.ProcessSpread][]int{
			option.SpreadRanks: row.ranks,
			option.SpreadNodes: row.nodeN,
		} {
			members, _ := founded(t, groupKey{row.n, spread}, row.nodes)
			if !slices.Equal(members, want) {
				t.Errorf("%s, %s: %v, want %v", row.name, spread, members, want)
			}
		}
	}
}

func TestAGroupKnowsItsNodes(t *testing.T) {
	nodes := []int{0, 0, 0, 3, 3, 3} // the group of 3 processes has the ranks 0, 1 and 3
	_, all := founded(t, groupKey{3, option.SpreadNodes}, nodes)
	for rank, want := range [][]int{{0, 1}, {0, 1}, nil, {2}, nil, nil} {
		if g := all[rank]; g.nodes != 2 || !slices.Equal(g.ranks, want) {
			t.Errorf("rank %d: %v on its node, want %v; %d nodes", rank, g.ranks, want, g.nodes)
		}
	}
}

// founded makes the group with key s in a world with these nodes of ranks. It returns the ranks of its members, and the
// group as each rank has it. It checks that toWorldRanks returns the rank in the world of each member.
func founded(t *testing.T, s groupKey, nodes []int) (members []int, all []*caseGroup) {
	t.Helper()
	all = make([]*caseGroup, len(nodes))
	job := mpi.MemoryJobOptions{Node: func(rank int) int { return nodes[rank] }}
	mpitest.InMemory(t, job, len(nodes), func(world mpi.Comm) {
		p := plan.Plan{ProcessSteps: []plan.ProcessStep{{Processes: s.processes, TransferSizes: []uint64{1}}}}
		p.Parameters.APIs, p.Parameters.Conditions.Spread = []string{result.POSIX}, s.spread
		groups := newCaseGroups(world, []Arm{{Plan: p}})
		g := groups.all[0]
		all[world.Rank()] = g
		if !g.member {
			return
		}
		g.openComms(world, groups.node, func() time.Duration { return 0 })
		ranks := make([]int, g.work.Size())
		for i := range ranks {
			ranks[i] = i
		}
		g.toWorldRanks(ranks)
		if own := g.work.Rank(); ranks[own] != world.Rank() {
			t.Errorf("rank %d of the group is %d in the world, want %d", own, ranks[own], world.Rank())
		}
	})
	for rank, g := range all {
		if g.member {
			members = append(members, rank)
		}
	}
	return members, all
}
