package cli

import (
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// noCleanup is the variable that keeps data files, whatever its value.
const noCleanup = "HDF5_NOCLEANUP"

// conditions returns the conditions as given by the options of both tools, by those that differ between the tools, and
// by the environment.
func (c common) conditions(
	order result.Order, shift *int, lookup func(string) (string, bool),
) plan.Conditions {
	given := c.Conditions
	given.Order, given.Shift = order, shift
	if _, set := lookup(noCleanup); set {
		given.Keep = true
	}
	return given
}
