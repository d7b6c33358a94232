//go:build cgo

package main

import (
	"fmt"

	"h5perf/pkg/h5"
	"h5perf/pkg/mpi"
)

// subfilingVariables are those with which HDF5 overrules what it is asked for when it opens a file, or puts parts of it
// elsewhere, and the option that stands for each.
var subfilingVariables = []struct{ name, option string }{
	{"H5FD_SUBFILING_STRIPE_SIZE", "--subfiling-stripe"},
	{"H5FD_SUBFILING_IOC_PER_NODE", "--subfiling-per-node"},
	{"H5FD_SUBFILING_IOC_SELECTION_CRITERIA", "--subfiling-per-node or --subfiling-files"},
	{"H5FD_SUBFILING_SUBFILE_PREFIX", "HDF5_PARAPREFIX"},
	{"H5FD_SUBFILING_CONFIG_FILE_PREFIX", "HDF5_PARAPREFIX"},
	{"H5FD_IOC_THREAD_POOL_SIZE", "--subfiling-threads"},
}

// checkSubfiling refuses the file driver where HDF5, MPI or the environment do not let it measure what was asked for.
func checkSubfiling(lookup func(string) (string, bool)) error {
	if err := h5.CheckSubfiling(); err != nil {
		return err
	}
	if level := mpi.ThreadLevel(); level != mpi.Multiple {
		return fmt.Errorf("--driver subfiling: MPI gives the thread level %s, and HDF5 needs %s: use an MPI that was built with it", level, mpi.Multiple)
	}
	for _, v := range subfilingVariables {
		if value, set := lookup(v.name); set {
			return fmt.Errorf("%s=%s would overrule what is measured: unset it, and use %s", v.name, value, v.option)
		}
	}
	return nil
}
