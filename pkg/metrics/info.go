package metrics

import (
	"strconv"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
)

// infoLabels are the labels of run_info. In queries, throughputs are joined with them by group.
var infoLabels = []string{
	"kind", "version", "flavour", "mpi", "hdf5", "file_system_type", "kernel", "image", "nodes", "processes",
	"sync", "direct", "cold", "shift", "spread", "data", "profile", "basis", "workload", "workload_sha256",
}

// info returns the values of infoLabels.
func info(doc result.Document) []string {
	c, workload, hash := doc.Parameters.Conditions, "", ""
	if w := doc.Parameters.Workload; w != nil {
		workload, hash = w.Name, figures.Fingerprint(*w)
	}
	return []string{
		string(doc.Kind), doc.Software.Version, doc.Software.Flavour, library(doc.Software.MPI),
		doc.Software.HDF5, doc.Target.Type,
		doc.Machine.Kernel, doc.Machine.Image.BuildID(), strconv.Itoa(doc.Job.Nodes), strconv.Itoa(doc.Job.Processes),
		string(c.Sync), strconv.FormatBool(c.Direct), strconv.FormatBool(c.Cold), strconv.Itoa(c.Shift),
		string(c.Spread), string(c.Data), string(c.Profile), string(doc.Basis),
		workload, hash,
	}
}

// library returns name and version from the text of MPI_Get_library_version: what stands before the first comma, with
// single blanks.
func library(text string) string {
	name, _, _ := strings.Cut(text, ",")
	return strings.Join(strings.Fields(name), " ")
}
