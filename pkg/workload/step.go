package workload

import "time"

// Class is a kind of work. Each has a clock of its own.
type Class int

// The classes.
const (
	FileOpen    Class = iota // files are created or opened
	Create                   // groups and datasets are created
	Open                     // groups and datasets are opened
	Attribute                // attributes are created, opened, written or read
	Select                   // selections are built
	Transfer                 // data are moved
	Extend                   // datasets are extended
	ObjectClose              // groups and datasets are closed
	Sync                     // written data are made durable
	FileClose                // files are closed
	Unlink                   // objects are unlinked
	Compute                  // the application computes; the process sleeps
	Fence                    // processes wait for one another
	Classes
)

// String returns the name of the class.
func (c Class) String() string {
	return [...]string{
		"file open", "create", "open", "attribute", "select", "transfer", "extend", "object close", "sync", "file close",
		"unlink", "compute", "fence",
	}[c]
}

// Step is one step of an epoch: a batch that an engine does, or something that the harness does.
type Step struct {
	Batch
	Duration time.Duration // of Compute
	Group    Group         // of Fence
}

// Batch is a number of like operations, which an engine does in one call.
type Batch struct {
	Class Class
	Op    Op // of FileOpen and Transfer, and of what is done to objects in between

	File   int    // family of the file, in Program.Files
	Number uint64 // of the file in its family
	Path   string // of the file; the harness sets it

	// Objects First to First + Count - 1 of a family. Of Transfer, First is the dataset. Classes Create, Open, Attribute,
	// Extend, ObjectClose and Unlink.
	Object       int
	First, Count uint64

	// The move that transfers. Classes Create and Open: the move whose transfers begin with the dataset, or NoMove; class
	// ObjectClose: the move whose transfers end, or NoMove.
	Move  int
	Times uint64 // number of transfers

	// Set by the harness where transfers begin.
	Tag      uint64 // who writes: see package fill
	Stamping bool   // transfers write stamps with the tag into buffers, or read what has such stamps
}

// NoMove is the move of a batch that begins no transfers.
const NoMove = -1
