package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/units"
)

// API describes a way to access files. To add one, add a row to APIs and an engine.
type API struct {
	Name   string // on the command line, in documents and in metrics
	Label  string // for people
	CLabel string // in the report that is compatible with the C tools
	Suffix string // of its data files
	Over   string // name of the API that is one layer below; "" for the lowest

	Parallel bool // the parallel tool measures it
	Serial   bool // the serial tool measures it

	Plain    bool // a file holds the data alone, each byte at the offset that the access pattern gives
	Datasets bool // a file has datasets, which are created when they are first written
	HDF5     bool // it has chunks and file drivers of HDF5
	MPI      bool // it goes through MPI-IO, and has modes and hints of MPI-IO
	Direct   bool // it can open files with O_DIRECT

	// Index of its pen in pictures, from 0. No two rows have the same. NoPen stands for any pen that no row has.
	Pen int
}

// NoPen is the pen of an API that this release does not know.
const NoPen = -1

// Names of APIs.
const (
	POSIX = "posix"
	MPIIO = "mpiio"
	PHDF5 = "phdf5"
	HDF5  = "hdf5"
)

// APIs is the table of the APIs that this release knows, in the order in which the tools measure them. Each stands
// after those of the layers below it. Only tests change the table.
var APIs = []API{
	{
		Name: POSIX, Label: "POSIX", CLabel: "POSIX", Suffix: ".posix",
		Parallel: true, Serial: true, Plain: true, Direct: true, Pen: 0,
	},
	{
		Name: MPIIO, Label: "MPI-IO", CLabel: "MPIO", Suffix: ".mpio", Over: POSIX,
		Parallel: true, Plain: true, MPI: true, Pen: 1,
	},
	{
		Name: PHDF5, Label: "HDF5", CLabel: "PHDF5", Suffix: ".h5", Over: MPIIO,
		Parallel: true, Datasets: true, HDF5: true, MPI: true, Pen: 2,
	},
	{
		Name: HDF5, Label: "serial HDF5", CLabel: "HDF5", Suffix: ".h5", Over: POSIX,
		Serial: true, Datasets: true, HDF5: true, Pen: 3,
	},
}

// APIOf returns the row of an API. If this release does not know the API, because the document comes from a newer one,
// the row has the name of the API in place of all labels, and nothing else is set.
func APIOf(name string) API {
	if i := slices.IndexFunc(APIs, func(a API) bool { return a.Name == name }); i >= 0 {
		return APIs[i]
	}
	return API{Name: name, Label: name, CLabel: name, Suffix: "." + name, Pen: NoPen}
}

// APINames returns the names of the APIs for which wanted returns true, in the order of the table.
func APINames(wanted func(API) bool) []string {
	var names []string
	for _, a := range APIs {
		if wanted(a) {
			names = append(names, a.Name)
		}
	}
	return names
}

// CompareAPIs orders names of APIs as the table does. Those that this release does not know come after them, by name.
// The result is negative, 0 or positive, as of cmp.Compare.
func CompareAPIs(a, b string) int {
	place := func(name string) int {
		if i := slices.IndexFunc(APIs, func(a API) bool { return a.Name == name }); i >= 0 {
			return i
		}
		return len(APIs)
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), strings.Compare(a, b))
}

// UsesHDF5 reports whether any of the APIs of the run is one of HDF5.
func (p Parameters) UsesHDF5() bool {
	return slices.ContainsFunc(p.APIs, func(name string) bool { return APIOf(name).HDF5 })
}

// CaseLabel identifies a case for people: its API, number of processes, and transfer size or workload. A serial run has
// one process, so its cases do not tell their number.
func (p Parameters) CaseLabel(api string, processes int, transfer uint64) string {
	words := []string{APIOf(api).Label}
	if !p.IsSerial() {
		words = append(words, units.Count(processes, "process", "processes"))
	}
	what := "transfers of " + units.FormatBytes(float64(transfer))
	if w := p.Workload; w != nil {
		what = w.Title()
	}
	return strings.Join(append(words, what), ", ")
}

// Title returns the workload for people, in one short line: "workload vpic".
func (w *Workload) Title() string {
	if w.Variant != "" {
		return fmt.Sprintf("workload %s (%s)", w.Name, w.Variant)
	}
	return "workload " + w.Name
}
