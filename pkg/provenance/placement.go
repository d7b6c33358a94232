package provenance

import (
	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// Placement returns what a document tells of the nodes of a job: which ranks run on them, and to which processors these
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
