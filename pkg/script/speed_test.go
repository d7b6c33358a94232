package script_test

import (
	"fmt"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// BenchmarkPrograms makes the program of a rank of each profile, as each rank of a run does.
func BenchmarkPrograms(b *testing.B) {
	for _, name := range script.ProfileNames() {
		for _, ranks := range []int64{4, 4096} {
			job := script.JobSize{Ranks: ranks, Nodes: 2}
			s, err := script.ReadProfile(name)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprint(name, "/ranks=", ranks), func(b *testing.B) {
				b.ReportAllocs()
				for i := int64(0); b.Loop(); i++ {
					chosen, err := s.Choose("site", nil, job) // a copy without known programs
					if err != nil {
						b.Fatal(err)
					}
					if _, err := chosen.Program(i%ranks, job); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkAmounts sums the programs of a large job, as a plan does.
func BenchmarkAmounts(b *testing.B) {
	for _, name := range script.ProfileNames() {
		s, err := script.ReadProfile(name)
		if err != nil {
			b.Fatal(err)
		}
		for _, ranks := range []int64{4096, 1_000_000} {
			b.Run(fmt.Sprint(name, "/ranks=", ranks), func(b *testing.B) {
				for b.Loop() {
					a, err := workload.AmountsOf(uint64(ranks), func(rank uint64) (workload.Program, error) {
						return s.Program(int64(rank), script.JobSize{Ranks: ranks, Nodes: 2})
					})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(a.Sampled), "programs")
				}
			})
		}
	}
}
