package metrics

import (
	"strconv"
	"strings"

	"h5perf/pkg/result"
)

// infoLabels are those of run_info: what the throughputs are joined with by group.
var infoLabels = []string{
	"kind", "version", "flavour", "mpi", "hdf5", "file_system_type", "kernel", "image", "nodes", "processes",
	"sync", "direct", "cold", "shift", "data", "profile",
}

// info are the values of infoLabels.
func info(doc result.Document) []string {
	c := doc.Parameters.Conditions
	return []string{
		string(doc.Kind), doc.Software.Version, doc.Software.Flavour, library(doc.Software.MPI),
		doc.Software.HDF5, doc.Target.Type,
		doc.Machine.Kernel, doc.Machine.Image.BuildID(), strconv.Itoa(doc.Job.Nodes), strconv.Itoa(doc.Job.Processes),
		string(c.Sync), strconv.FormatBool(c.Direct), strconv.FormatBool(c.Cold), strconv.Itoa(c.Shift),
		string(c.Data), string(c.Profile),
	}
}

// library is the name and version in what an MPI library says of itself: it ends at the first comma, and blanks are many.
func library(text string) string {
	name, _, _ := strings.Cut(text, ",")
	return strings.Join(strings.Fields(name), " ")
}
