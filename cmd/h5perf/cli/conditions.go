package cli

import (
	"h5perf/pkg/option"
)

// noCleanupVariable is the environment variable that keeps data files, whatever its value.
const noCleanupVariable = "HDF5_NOCLEANUP"

// shared returns the options that all tools have.
func (c sharedOptions) shared() sharedOptions { return c }

// commonOptions returns the options that all kinds of runs share, with the given order of cases. Data files are also
// kept if the environment variable noCleanupVariable is set.
func (c sharedOptions) commonOptions(order option.CaseOrder, lookup func(string) (string, bool)) option.Common {
	given := c.Common
	given.Order = order
	if _, set := lookup(noCleanupVariable); set {
		given.Keep = true
	}
	return given
}
