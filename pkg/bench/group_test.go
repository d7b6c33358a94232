package bench

import (
	"slices"
	"testing"

	"h5perf/pkg/result"
)

func TestTheProcessesOfAStepAreChosenByRankOrByNode(t *testing.T) {
	blocks, cyclic := []int{0, 0, 0, 0, 4, 4, 4, 4}, []int{0, 1, 0, 1, 0, 1, 0, 1}
	for _, row := range []struct {
		name         string
		nodes        []int // of each rank
		n            int
		ranks, nodeN []int // chosen by rank and by node
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
		if got := chosen(step{row.n, ""}, row.nodes); !slices.Equal(got, row.ranks) {
			t.Errorf("%s: by rank %v, want %v", row.name, got, row.ranks)
		}
		if got := chosen(step{row.n, result.SpreadNodes}, row.nodes); !slices.Equal(got, row.nodeN) {
			t.Errorf("%s: by node %v, want %v", row.name, got, row.nodeN)
		}
	}
}

func TestAGroupKnowsItsNodes(t *testing.T) {
	nodes := []int{0, 0, 0, 3, 3, 3} // the group of 3 has the ranks 0, 1 and 3
	for rank, want := range [][]int{{0, 1}, {0, 1}, {0, 1}, {2}, {2}, {2}} {
		g := newGroup(step{3, result.SpreadNodes}, nodes, rank)
		if member := slices.Contains([]int{0, 1, 3}, rank); g.member != member || g.nodes != 2 {
			t.Errorf("rank %d: member %v of %d nodes", rank, g.member, g.nodes)
		}
		if !slices.Equal(g.ranks, want) {
			t.Errorf("rank %d: %v on its node, want %v", rank, g.ranks, want)
		}
	}
}
