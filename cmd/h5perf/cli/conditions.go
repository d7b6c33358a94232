package cli

import (
	"h5perf/pkg/option"
)

// noCleanup is the variable that keeps data files, whatever its value.
const noCleanup = "HDF5_NOCLEANUP"

// conditions returns the conditions as given by the options of both tools, by that for the order, and by the
// environment.
func (c common) conditions(order option.Order, lookup func(string) (string, bool)) option.Conditions {
	given := c.Conditions
	given.Order = order
	if _, set := lookup(noCleanup); set {
		given.Keep = true
	}
	return given
}
