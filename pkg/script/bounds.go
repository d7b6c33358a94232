package script

import (
	"errors"
	"fmt"
)

// The limits of a script. They are the same on all machines, so that either all ranks exceed a limit or none does.
const (
	maxSourceBytes = 1 << 24    // bytes of the script
	maxDepth       = 100        // nested brackets in the script
	maxSteps       = 50_000_000 // steps of the interpreter, for one rank
	stepsOfCall    = 8          // steps that a call of a builtin function counts as
	stepsOfSearch  = 25         // additional steps for a rule, or for each number of a permutation
	maxMemoryBytes = 256 << 20  // bytes of all strings and lists that the script makes; freed ones count, too
	bytesOfHandle  = 128
	maxElements    = 1 << 20 // elements of a list or range
	maxTextBytes   = 1 << 16 // bytes of a string
	maxNameBytes   = 1000    // bytes of a name of a file, object or attribute
	maxObjects     = 100_000 // families of objects; the same limit holds for files and for attributes
	maxBatches     = 400_000 // steps of a rank
	maxSelected    = 1 << 24 // hyperslabs and points of all selections of a rank
	maxGroupDepth  = 64      // nested groups
	maxTypeDepth   = 32      // nested types
	// The largest size in bytes of a message in an object header, such as an attribute or a type. In the oldest format,
	// HDF5 rounds sizes up to a multiple of 8. A size of 65536 would not fit into the 16 bits that it has in the file:
	// HDF5 1.10.8 then writes a file that it cannot read.
	maxMessageBytes = 65528
)

// errTooManySteps is the error of a script that needs more than maxSteps steps.
var errTooManySteps = errors.New(tooManySteps)

const tooManySteps = "the script does more than 50 million steps, the limit: use fewer or shorter loops; numbered " +
	"names make many objects in one call"

// chargeSteps counts the work of a builtin function as steps of the interpreter. Call it before the work is done. It
// returns an error if the script exceeds maxSteps.
func (r *execution) chargeSteps(steps int) error {
	if r.thread.Steps += uint64(steps); r.thread.Steps > maxSteps {
		return errTooManySteps
	}
	return nil
}

// chargeMemory counts memory before the script allocates it. It returns an error if the script exceeds maxMemoryBytes.
func (r *execution) chargeMemory(bytes int) error {
	if r.allocated += uint64(bytes); bytes < 0 || r.allocated > maxMemoryBytes {
		return fmt.Errorf("the script makes more than %d MiB of texts and lists, the limit: make them smaller, or "+
			"once, at the top", maxMemoryBytes>>20)
	}
	return nil
}

// chargeList counts the memory of a list with the given number of elements.
func (r *execution) chargeList(elements int) error {
	if elements < 0 || elements > maxElements {
		return fmt.Errorf("a list of more than %d elements, the limit: use a shorter one, or numbered names",
			maxElements)
	}
	return r.chargeMemory(32 * elements)
}

// chargeText counts the memory of a string.
func (r *execution) chargeText(bytes int) error {
	if bytes < 0 || bytes > maxTextBytes {
		return fmt.Errorf("a text of more than %d bytes, the limit: use a shorter one", maxTextBytes)
	}
	return r.chargeMemory(bytes)
}
