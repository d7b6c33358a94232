package script

import (
	"errors"
	"fmt"
)

// What a script may use. All limits are the same on all machines, so that all ranks keep or break them together.
const (
	maxSourceBytes = 1 << 24    // bytes of its text
	maxDepth       = 100        // brackets within one another in its text
	maxSteps       = 50_000_000 // of the interpreter, for one rank; a call of a function here counts as some
	stepsOfCall    = 8
	stepsOfSearch  = 25        // of a rule, or a number of a permutation, in addition
	maxMemoryBytes = 256 << 20 // bytes of texts and lists that it makes; none is given back
	bytesOfHandle  = 128
	maxElements    = 1 << 20 // of a list or range
	maxTextBytes   = 1 << 16 // bytes of a text
	maxNameBytes   = 1000    // bytes of the name of a file, object or attribute
	maxObjects     = 100_000 // families of objects, of files and of attributes
	maxBatches     = 400_000 // steps of a rank
	maxSelected    = 1 << 24 // hyperslabs and points of all selections of a rank
	maxGroupDepth  = 64      // groups within one another
	maxTypeDepth   = 32      // types within one another
	// The largest number of bytes of a message in the header of an object, such as an attribute or a type. HDF5 refuses
	// one of 65536.
	maxMessageBytes = 65535
)

// errSteps is the error of a script that does too much.
var errSteps = errors.New(tooManySteps)

const tooManySteps = "the script does more than 50 million steps, the limit: use fewer or shorter loops; numbered " +
	"names make many objects in one call"

// countSteps counts work of a function as steps of the interpreter, before it is done.
func (r *execution) countSteps(steps int) error {
	if r.thread.Steps += uint64(steps); r.thread.Steps > maxSteps {
		return errSteps
	}
	return nil
}

// countMemory counts memory that a script takes, before it does.
func (r *execution) countMemory(bytes int) error {
	if r.allocated += uint64(bytes); bytes < 0 || r.allocated > maxMemoryBytes {
		return fmt.Errorf("the script makes more than %d MiB of texts and lists, the limit: make them smaller, or "+
			"once, at the top", maxMemoryBytes>>20)
	}
	return nil
}

// countList counts the memory of a list of so many elements.
func (r *execution) countList(elements int) error {
	if elements < 0 || elements > maxElements {
		return fmt.Errorf("a list of more than %d elements, the limit: use a shorter one, or numbered names",
			maxElements)
	}
	return r.countMemory(32 * elements)
}

// countText counts the memory of a text.
func (r *execution) countText(bytes int) error {
	if bytes < 0 || bytes > maxTextBytes {
		return fmt.Errorf("a text of more than %d bytes, the limit: use a shorter one", maxTextBytes)
	}
	return r.countMemory(bytes)
}
