package cli

import (
	"h5perf/pkg/option"
)

// noCleanup is the variable that keeps data files, whatever its value.
const noCleanup = "HDF5_NOCLEANUP"

// commonOptions returns the options of each kind of run, with the order of the cases, and with what the environment
// says.
func (c common) commonOptions(order option.Order, lookup func(string) (string, bool)) option.Common {
	given := c.Common
	given.Order = order
	if _, set := lookup(noCleanup); set {
		given.Keep = true
	}
	return given
}
