package script

import "fmt"

// What a script may use. All limits are the same on all machines, so that all ranks keep or break them together.
const (
	mostSource    = 1 << 24    // bytes of its text
	mostDepth     = 100        // brackets within one another in its text
	mostSteps     = 50_000_000 // of the interpreter, for one rank; a call of a function here counts as some
	stepsOfCall   = 8
	stepsOfSearch = 25        // of a rule, or a number of a permutation, in addition
	mostMemory    = 256 << 20 // bytes of texts and lists that it makes; none is given back
	bytesOfHandle = 128
	mostElements  = 1 << 20  // of a list or range
	mostText      = 1 << 16  // bytes of a text
	mostName      = 1000     // bytes of the name of a file, object or attribute
	mostObjects   = 100_000  // families of objects, of files and of attributes
	mostBatches   = 400_000  // steps of a rank
	mostSelected  = 1 << 24  // hyperslabs and points of all selections of a rank
	mostMembers   = 5000     // of a compound, and words of an enumeration
	mostAttribute = 64 << 10 // bytes of an attribute in the header of an object
)

const tooManySteps = "the script does more than 50 million steps, the limit: use fewer or shorter loops; numbered " +
	"names make many objects in one call"

// alloc counts memory that a script takes, before it does.
func (r *run) alloc(bytes int) error {
	if r.allocated += uint64(bytes); bytes < 0 || r.allocated > mostMemory {
		return fmt.Errorf("the script makes more than %d MiB of texts and lists, the limit: make them smaller, or "+
			"once, at the top", mostMemory>>20)
	}
	return nil
}

// list counts the memory of a list of so many elements.
func (r *run) list(elements int) error {
	if elements < 0 || elements > mostElements {
		return fmt.Errorf("a list of more than %d elements, the limit: use a shorter one, or numbered names",
			mostElements)
	}
	return r.alloc(32 * elements)
}

// text counts the memory of a text.
func (r *run) text(bytes int) error {
	if bytes < 0 || bytes > mostText {
		return fmt.Errorf("a text of more than %d bytes, the limit: use a shorter one", mostText)
	}
	return r.alloc(bytes)
}
