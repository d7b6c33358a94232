// Package fromfile writes a script that makes a file like a given HDF5 file. The file has the same groups, datasets and
// attributes. Names, types and sizes are those of the given file; values are not.
//
// The package is pure: no I/O, no clock, no cgo.
package fromfile

import "h5perf/pkg/workload"

// Description is what a file consists of.
type Description struct {
	Objects []Object  // the first is the root group; the others come after the group that they are in
	Left    []LeftOut // what the objects do not have, though the file does
}

// Object is a group or a dataset: a family of one. Its parent is a number in Objects, and its name is no format.
type Object struct {
	workload.Object
	Path       string
	Attributes []workload.Attributes // each is one, and its name is no format
	Stored     uint64                // bytes of storage of a dataset
}

// LeftOut is something of a file that is left out.
type LeftOut struct {
	What   string // such as "/data", or "attribute unit of /data"
	Reason string // why, such as "a soft link"
}

// Limits of a file.
const (
	MaxObjects    = 20_000
	MaxLinks      = 100_000 // also those that are left out
	MaxAttributes = 200_000 // also those that are left out
	MaxDepth      = 100     // of groups within one another
	MaxName       = 1000    // bytes of a name
)
