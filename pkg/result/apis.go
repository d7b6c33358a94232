package result

import "slices"

// API is what is known of a way to access files. A new one is a row of APIs, and its engine.
type API struct {
	Name   string // on the command line, in documents and in metrics
	Label  string // for people
	CLabel string // in the report of the C tools
	Suffix string // of its data files
	Over   string // name of the API of the layer below; "" for the lowest

	Parallel bool // the parallel tool measures it
	Serial   bool // the serial tool measures it

	Plain    bool // a file is the data alone, at the places where the access pattern has them
	Datasets bool // a file has datasets, which writes create
	HDF5     bool // it has chunks and file drivers of HDF5
	MPI      bool // it goes through MPI-IO, and has its modes and hints
	Direct   bool // it can open files with O_DIRECT

	Pen int // in pictures: which of their pens, from 0; no two rows have the same. NoPen: any that no row has
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

// APIs are those that this release knows, in the order in which a tool measures its own; each comes after those below
// it. Only tests change the table.
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

// APIOf returns the row of an API. One that this release does not know, from a document of a newer one, has its own
// name for all others, and nothing else is known of it.
func APIOf(name string) API {
	if i := slices.IndexFunc(APIs, func(a API) bool { return a.Name == name }); i >= 0 {
		return APIs[i]
	}
	return API{Name: name, Label: name, CLabel: name, Suffix: "." + name, Pen: NoPen}
}

// APINames are the names of the APIs for which wanted holds, in the order of the table.
func APINames(wanted func(API) bool) []string {
	var names []string
	for _, a := range APIs {
		if wanted(a) {
			names = append(names, a.Name)
		}
	}
	return names
}

// UsesHDF5 reports whether one of the APIs is of HDF5.
func (p Parameters) UsesHDF5() bool {
	return slices.ContainsFunc(p.APIs, func(name string) bool { return APIOf(name).HDF5 })
}
