package provenance

import (
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// Placement returns the placement of a job for a document: which ranks run on each node, and to which processors they
// are bound.
func Placement(hosts []mpi.Host) (placement []result.Host, binding []result.Binding) {
	for _, h := range hosts {
		placement = append(placement, result.Host{Host: h.Name, Ranks: h.Ranks, Count: h.Count, CPUs: h.CPUs})
		for _, b := range h.Bindings {
			binding = append(binding, result.Binding{Host: h.Name, CPUs: b.CPUs, Ranks: b.Ranks})
		}
	}
	return placement, binding
}
