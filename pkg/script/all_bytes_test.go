package script_test

import (
	"slices"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// If the moves of rank 0 have AllBytes, the sum is equal to the bytes that all ranks transfer.
func TestMovesKnowTheBytesOfAllRanks(t *testing.T) {
	for _, name := range script.ProfileNames() {
		s, err := script.ReadProfile(name)
		if err != nil {
			t.Fatal(err)
		}
		job := script.JobSize{Ranks: 7, Nodes: 2}
		if s, err = s.Choose("tiny", nil, job); err != nil {
			t.Fatal(err)
		}
		all, first := [2]uint64{}, [2]uint64{}
		known := true
		for rank := range job.Ranks {
			p, err := s.Program(rank, job)
			if err != nil {
				t.Fatal(err)
			}
			for op := range p.Parts {
				for step := range p.Parts[op].Steps() {
					if step.Class != workload.Transfer {
						continue
					}
					for i := range step.Moves() {
						m := &p.Moves[i]
						all[op] += step.Count * step.NumTransfers * m.TransferBytes()
						if rank == 0 {
							first[op] += step.Count * step.NumTransfers * m.AllBytes
							known = known && m.AllBytes > 0
						}
					}
				}
			}
		}
		if known && first != all {
			t.Errorf("%s: moves of rank 0 know of %d bytes, ranks have %d", name, first, all)
		}
		if unknown := slices.Contains([]string{"parts", "selections", "training"}, name); known == unknown {
			t.Errorf("%s: known %v", name, known)
		}
	}
}
