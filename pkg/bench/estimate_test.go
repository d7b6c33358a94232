package bench

import (
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/node"
	"h5perf/pkg/result"
	"h5perf/pkg/test/mpitest"
)

func TestAnEstimateOfThePageCache(t *testing.T) {
	for _, row := range []struct {
		name        string
		nodes       [2]node.Residency // each of a part of 1000 bytes
		uncertainty float64           // of the node with the largest ratio
		warm        bool
	}{
		{"exact", [2]node.Residency{{Bytes: 0}, {Bytes: 9}}, 0, false},
		{"exact and warm", [2]node.Residency{{Bytes: 1}, {Bytes: 10}}, 0, true},
		{"nothing", [2]node.Residency{{UncertainBytes: 1}, {UncertainBytes: 2}}, 0.001, false},
		{"little", [2]node.Residency{{UncertainBytes: 1}, {Bytes: 4, UncertainBytes: 5}}, 0.005, false},
		{"may be warm", [2]node.Residency{{UncertainBytes: 1}, {Bytes: 4, UncertainBytes: 6}}, 0.006, true},
		{"another may be", [2]node.Residency{{UncertainBytes: 20}, {Bytes: 4, UncertainBytes: 1}}, 0.001, true},
		{"of one node only", [2]node.Residency{{Bytes: 5, UncertainBytes: 2}, {Bytes: 900}}, 0, true},
	} {
		mpitest.InMemory(t, mpi.MemoryJobOptions{}, 4, func(world mpi.Comm) {
			c := &caseRun{caseGroup: &caseGroup{work: world, nodes: 2, leader: world.Rank()%2 == 0}}
			m := &measurement{}
			if c.leader {
				m.cache.seen = row.nodes[world.Rank()/2]
				m.cache.seen.Method, m.cache.seen.Total = node.Mincore, 1000
			}
			var all mpi.Reduction
			found := c.addResidency(&all, m)
			all.Run(world)
			seen, warm := c.cacheResult(m, found)
			highest := float64(max(row.nodes[0].Bytes, row.nodes[1].Bytes)) / 1000
			if seen.MaxResident != highest || seen.Uncertainty != row.uncertainty || warm != row.warm {
				t.Errorf("%s, rank %d: %+v, warm %v; want %v ± %v, %v", row.name, world.Rank(), seen, warm, highest,
					row.uncertainty, row.warm)
			}
			if world.Rank() == 0 && seen.Method != result.CacheMincore {
				t.Errorf("%s: method %q", row.name, seen.Method)
			}
		})
	}
}
