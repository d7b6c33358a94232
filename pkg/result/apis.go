package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/units"
)

// API describes a way to access files. To add an API, add a row to the table APIs, and an engine.
type API struct {
	Name     string // name on the command line, in documents and in metrics
	Label    string // name for people
	CLabel   string // name in the report that is compatible with the C tools
	Suffix   string // suffix of its data files
	LowerAPI string // name of the API that is one layer below; "" for the lowest

	Parallel bool // the parallel tool measures it
	Serial   bool // the serial tool measures it

	PlainFiles bool // a file holds the data alone, each byte at the offset that the access pattern gives
	// An object can be a file of its own, if a workload asks for that.
	ObjectFiles bool
	Datasets    bool // a file has datasets, which are created when they are first written
	HDF5        bool // it goes through HDF5, with chunks and file drivers
	MPI         bool // it goes through MPI-IO, with its modes and hints
	Direct      bool // it can open files with O_DIRECT

	// Index of its pen in pictures, from 0, different for each row. NoPen stands for a pen that no row uses.
	PenIndex int
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

// APIs is the table of the APIs that this release knows, in the order in which the tools measure them. Each API comes
// after the APIs of the layers below it. Only tests change the table.
var APIs = []API{
	{
		Name: POSIX, Label: "POSIX", CLabel: "POSIX", Suffix: ".posix",
		Parallel: true, Serial: true, PlainFiles: true, ObjectFiles: true, Direct: true, PenIndex: 0,
	},
	{
		Name: MPIIO, Label: "MPI-IO", CLabel: "MPIO", Suffix: ".mpio", LowerAPI: POSIX,
		Parallel: true, PlainFiles: true, MPI: true, PenIndex: 1,
	},
	{
		Name: PHDF5, Label: "HDF5", CLabel: "PHDF5", Suffix: ".h5", LowerAPI: MPIIO,
		Parallel: true, Datasets: true, HDF5: true, MPI: true, PenIndex: 2,
	},
	{
		Name: HDF5, Label: "serial HDF5", CLabel: "HDF5", Suffix: ".h5", LowerAPI: POSIX,
		Serial: true, Datasets: true, HDF5: true, PenIndex: 3,
	},
}

// APIOf returns the row of an API. If this release does not know the API, because a newer release wrote the document,
// the returned row has the name of the API as its labels, and no other fields are set.
func APIOf(name string) API {
	if i := slices.IndexFunc(APIs, func(a API) bool { return a.Name == name }); i >= 0 {
		return APIs[i]
	}
	return API{Name: name, Label: name, CLabel: name, Suffix: "." + name, PenIndex: NoPen}
}

// APINames returns the names of the APIs for which the function wanted returns true, in the order of the table APIs.
func APINames(wanted func(API) bool) []string {
	var names []string
	for _, a := range APIs {
		if wanted(a) {
			names = append(names, a.Name)
		}
	}
	return names
}

// CompareAPIs compares two names of APIs by their order in the table. APIs that this release does not know come last,
// by name. The result is negative, 0 or positive, as in cmp.Compare.
func CompareAPIs(a, b string) int {
	place := func(name string) int {
		if i := slices.IndexFunc(APIs, func(a API) bool { return a.Name == name }); i >= 0 {
			return i
		}
		return len(APIs)
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), strings.Compare(a, b))
}

// UsesHDF5 reports whether any API of the run goes through HDF5.
func (p Parameters) UsesHDF5() bool {
	return slices.ContainsFunc(p.APIs, func(name string) bool { return APIOf(name).HDF5 })
}

// CaseLabel returns a label of a case for people: its API, number of processes, transfer size or workload, and
// the values of --sweep. In
// serial runs it leaves out the number of processes, which is always one.
func (p Parameters) CaseLabel(api string, processes int, transfer uint64, values []KeyValue) string {
	words := []string{APIOf(api).Label}
	if !p.IsSerial() {
		words = append(words, units.Count(processes, "process", "processes"))
	}
	what := "transfers of " + units.FormatBytes(float64(transfer))
	if w := p.Workload; w != nil {
		what = w.Title()
	}
	if words = append(words, what); len(values) > 0 {
		words = append(words, ValuesText(values))
	}
	return strings.Join(words, ", ")
}

// Title returns a short title of the workload for people: "workload vpic".
func (w *Workload) Title() string {
	if w.Layout != "" {
		return fmt.Sprintf("workload %s (%s)", w.Name, w.Layout)
	}
	return "workload " + w.Name
}
