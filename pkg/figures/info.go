package figures

import (
	"strings"

	"h5perf/pkg/option"
)

// InfoNames lists the names of the labels of a run, in their order.
var InfoNames = []string{
	"kind", "version", "flavour", "mpi", "hdf5", "file_system_type", "kernel", "image", "nodes", "processes",
	"sync", "direct", "cold", "shift", "spread", "data", "preset", "workload", "workload_sha256", "variant",
}

// InfoLabels returns the labels that describe the software and the conditions of a run.
func (r *Run) InfoLabels() []Label {
	c, workload, hash := r.Parameters.Conditions, "", ""
	if w := r.Parameters.Workload; w != nil {
		workload, hash = w.Name, ShortWorkloadHash(*w)
	}
	return newLabels(InfoNames,
		string(r.Kind), r.Software.Version, r.Software.Flavour, libraryName(r.Software.MPI), r.Software.HDF5,
		r.Target.Type, r.Machine.Kernel, r.Machine.Image.BuildID(), r.Job.Nodes, r.Job.Processes,
		r.SyncLabel(), c.Direct, c.Cold, option.ValueOrZero(c.Shift), string(c.Spread), string(c.Data),
		string(c.Preset),
		workload, hash, r.VariantText())
}

// libraryName returns the name and version from the text of MPI_Get_library_version: the text before the first comma,
// with single spaces.
func libraryName(text string) string {
	name, _, _ := strings.Cut(text, ",")
	return strings.Join(strings.Fields(name), " ")
}
