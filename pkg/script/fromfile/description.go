// Package fromfile writes a script that makes a file like a given HDF5 file. The new file has the same groups,
// datasets and attributes, with the same names, types and sizes. The values differ.
//
// The package is pure: no I/O, no clock, no cgo.
package fromfile

import "h5perf/pkg/workload"

// Description describes the contents of a file.
type Description struct {
	Objects []Object      // the first is the root group; each other object comes after its parent
	Left    []OmittedItem // what the file has and Objects does not describe
}

// Object is a single group or dataset. Its parent is an index in Objects. Its name is the literal name, not a format.
type Object struct {
	workload.Object
	Path       string
	Attributes []workload.Attributes // each is a single attribute, and its name is not a format
	Stored     uint64                // size in bytes of the storage of a dataset
}

// isNeverWritten reports whether the object is a dataset with elements, but without storage in the file.
func (o *Object) isNeverWritten() bool {
	return o.Kind == workload.DatasetObject && o.Bytes() > 0 && o.Stored == 0 && !o.Compact
}

// minUnfilledBytes is the smallest size in bytes of a dataset without storage that a script creates without fill
// values. Smaller datasets keep the fill time of the file.
const minUnfilledBytes = 1 << 30

// isFilledWithoutWrites reports whether parallel HDF5 would store many fill values in a dataset that has no storage in
// the file, unless it is told not to.
func (o *Object) isFilledWithoutWrites() bool {
	return o.isNeverWritten() && o.Bytes() >= minUnfilledBytes && o.StoresUnwrittenData() && len(o.Filters) == 0
}

// OmittedItem is something in a file that the description leaves out.
type OmittedItem struct {
	What   string // such as "/data", or "attribute unit of /data"
	Reason string // such as "a soft link"
}

// Limits for a file.
const (
	MaxObjects    = 20_000
	MaxLinks      = 100_000 // including those that are left out
	MaxAttributes = 200_000 // including those that are left out
	MaxDepth      = 64      // nested groups, as in scripts
	MaxName       = 1000    // bytes of a name
)
