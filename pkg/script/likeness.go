// This file makes a workload of an HDF5 file: one that makes a file with the same groups, datasets and
// attributes. Names, types and sizes are those of the file; values are not.

package script

import "h5perf/pkg/workload"

// FileDescription is what a file consists of.
type FileDescription struct {
	Objects []DescribedObject // the first is the root group; the others come after the group that they are in
	Left    []LeftOutOfFile   // what the objects do not have, though the file does
}

// DescribedObject is a group or a dataset: a family of one. Its parent is a number in Objects, and its name is no
// format.
type DescribedObject struct {
	workload.Object
	Path       string
	Attributes []workload.Attributes // each is one, and its name is no format
	Stored     uint64                // bytes of storage of a dataset
}

// LeftOutOfFile is something of a file that is left out.
type LeftOutOfFile struct {
	What   string // such as "/data", or "attribute unit of /data"
	Reason string // why, such as "a soft link"
}

// Limits of a file.
const (
	MostObjects    = 20_000
	MostLinks      = 100_000 // also those that are left out
	MostAttributes = 200_000 // also those that are left out
	MostFileDepth  = 100     // of groups within one another
)
