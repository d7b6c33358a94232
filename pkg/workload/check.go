package workload

import (
	"fmt"
	"maps"
	"slices"
)

// Fault is the error of a step that cannot be executed.
type Fault struct {
	Line   int // of the workload file that asks for the step; 0: not known
	Reason string
}

// Error returns the reason, with the line if it is known.
func (f *Fault) Error() string {
	if f.Line == 0 {
		return f.Reason
	}
	return fmt.Sprintf("line %d: %s", f.Line, f.Reason)
}

// Check returns a *Fault for the first step that cannot be executed. Without Check, HDF5 would report the error only
// after all earlier steps were measured, and POSIX and MPI-IO never would.
//
// A program has the steps of one process only. But while a file of group All is open, all processes do the same steps
// with it, except for independent transfers. So the content of a file is known from its creation until it is closed. It
// stays known after that if all files of this name are of group All, or all are of group Root, or all are of group
// Self.
func (p *Program) Check() error {
	_, err := p.checkSteps()
	return err
}

// CheckedMoves is what Check has verified of the moves of a program: for each move, whether it transfers nothing, and
// the extent that it needs, if Check compared it with the extent of a dataset.
type CheckedMoves struct {
	empty         []bool
	neededExtents [][]uint64
}

// CheckFirst is like Check. It is for the first of several programs that differ only in the selections of their moves.
func (p *Program) CheckFirst() (CheckedMoves, error) {
	c, err := p.checkSteps()
	first := CheckedMoves{make([]bool, len(p.Moves)), c.neededExtents}
	for i := range p.Moves {
		first.empty[i] = p.Moves[i].TransferBytes() == 0
	}
	return first, err
}

// CheckNext is like Check, for a program that differs from the one that CheckFirst has checked only in the selections
// of its moves. first is the result of CheckFirst. If it covers the moves, CheckNext does not check the steps again.
func (p *Program) CheckNext(first CheckedMoves) error {
	for i := range p.Moves {
		m := &p.Moves[i]
		if first.empty[i] != (m.TransferBytes() == 0) || first.neededExtents[i] != nil &&
			!fitsWithin(m.neededExtent(), first.neededExtents[i]) {
			return p.Check()
		}
	}
	return nil
}

// checkSteps checks the program, and returns the checker in its state after the last step.
func (p *Program) checkSteps() (*checker, error) {
	c := newChecker(p)
	for op := range p.Parts {
		c.op, c.number = Op(op), 0
		clear(c.selected)
		for s := range p.Parts[op].Steps() {
			c.number++
			c.step = s
			if err := c.checkStep(); err != nil {
				return c, err
			}
		}
		for _, i := range c.openFiles() {
			return c, c.opened[i].since.newFault("file %s is open at the end of part %s: close it after its last step",
				c.opened[i].name, c.op)
		}
	}
	return c, p.checkMemory()
}

// checker tracks which files and objects are open, and what files contain, while it goes through the steps.
type checker struct {
	*Program
	op     Op
	number int // number of the step in its part, from 1
	step   *Step

	files        map[string]*fileContent // by name
	opened       []openedFile            // by file
	openByName   map[string]int          // index of each open file, by name
	contentKnown []bool                  // by file: whether its content is still known after it was closed
	names        []memberNaming          // by family of objects
	objects      []rangeMap[openState]   // by family of objects: which members are open
	// by family of attributes: whether other families may have the same names
	ambiguousAttributes []bool
	selected            []bool       // by move: whether its selection was built
	neededExtents       [][]uint64   // by move: the extent that its selection needs; nil: not computed yet
	turnBegin           stepLocation // start of the current turn of the process; zero: no turn
	reads               []UnwrittenRead
}

func newChecker(p *Program) *checker {
	c := &checker{
		Program: p, files: map[string]*fileContent{}, opened: make([]openedFile, len(p.Files)),
		openByName: map[string]int{},
		names:      p.memberNamings(),
		objects:    make([]rangeMap[openState], len(p.Objects)), selected: make([]bool, len(p.Moves)),
		neededExtents: make([][]uint64, len(p.Moves)), ambiguousAttributes: p.findAmbiguousAttributes(),
	}
	groups := map[string][]RankGroup{}
	for i := range p.Files {
		f := &p.Files[i]
		groups[f.Name] = append(groups[f.Name], f.Group)
	}
	for i := range p.Files {
		all := groups[p.Files[i].Name]
		c.contentKnown = append(c.contentKnown, all[0] != TurnGroup && len(slices.Compact(slices.Clone(all))) == 1)
	}
	return c
}

// openFiles returns the indices of the open files, in ascending order.
func (c *checker) openFiles() []int { return slices.Sorted(maps.Values(c.openByName)) }

// openedFile is the state of a file.
type openedFile struct {
	in      *fileContent // nil: the file is not open
	name    string
	since   stepLocation
	objects uint64 // number of its open objects
}

// stepLocation identifies a step in messages: by its line, or by its number in a part.
type stepLocation struct {
	line, number int
	op           Op
}

func (s stepLocation) String() string {
	if s.line > 0 {
		return fmt.Sprint("line ", s.line)
	}
	return fmt.Sprintf("step %d of part %s", s.number, s.op)
}

// currentLocation returns the location of the current step. Steps of the same line have the same location.
func (c *checker) currentLocation() stepLocation {
	if c.step.Line > 0 {
		return stepLocation{line: c.step.Line}
	}
	return stepLocation{number: c.number, op: c.op}
}

// newFault returns a *Fault for the step at this location.
func (s stepLocation) newFault(format string, args ...any) error {
	reason := fmt.Sprintf(format, args...)
	if s.line == 0 {
		reason = fmt.Sprintf("%s: %s", s, reason)
	}
	return &Fault{s.line, reason}
}

// currentFault returns a *Fault for the current step.
func (c *checker) currentFault(format string, args ...any) error {
	return c.currentLocation().newFault(format, args...)
}

// checkStep checks the current step, and updates the state.
func (c *checker) checkStep() error {
	b := &c.step.Batch
	if c.turnBegin != (stepLocation{}) && c.IsCollective(c.step) {
		return c.currentFault(
			"all ranks would wait for one another in this step, but they wait for their turns, which "+
				"began in %s: do it before or after the turns", c.turnBegin)
	}
	switch b.Class {
	case FileOpen:
		return c.checkFileOpen()
	case Fence:
		return c.checkFence()
	case Compute:
		return nil
	case Select:
		c.selected[b.Move] = true
		return nil
	}
	f := &c.opened[b.File]
	if f.in == nil {
		return c.notOpenError(f)
	}
	switch b.Class {
	case FileClose:
		return c.checkFileClose(f)
	case Create, Open, CreateLink:
		return c.checkObjectOpen(f)
	case Stat, List:
		return c.checkLookup(f)
	case Rename:
		return c.checkRename(f)
	case Attribute:
		return c.checkAttributes(f)
	case Transfer:
		return c.checkTransfer(f)
	case Extend:
		return c.checkExtend(f)
	case ObjectClose:
		return c.checkObjectClose()
	case Unlink:
		return c.checkUnlink(f)
	}
	return nil
}

// fileText returns the name of the file of the current step, for error messages.
func (c *checker) fileText() string { return "file " + c.Files[c.step.File].Name }

// notOpenError returns the error of a step whose file is not open to the processes that do the step.
func (c *checker) notOpenError(f *openedFile) error {
	b := &c.step.Batch
	name := c.Files[b.File].Name
	if i, is := c.openByName[name]; is {
		return c.currentFault("%s by %s, but file %s is open to %s since %s: let those do the step that open the file",
			c.actionText(b.First), c.Files[b.File].Group, name, c.Files[i].Group, c.opened[i].since)
	}
	closed := ""
	if f.since != (stepLocation{}) {
		closed = fmt.Sprintf(" since %s", f.since)
	}
	return c.currentFault("%s, but %s is not open%s: open or create the file first", c.actionText(b.First),
		c.fileText(), closed)
}

// checkFence checks a fence, and notes whether a turn begins or ends.
func (c *checker) checkFence() error {
	switch c.step.Turn {
	case AwaitTurn:
		c.turnBegin = c.currentLocation()
	case PassTurn:
		c.turnBegin = stepLocation{}
		for _, i := range c.openFiles() {
			if o := &c.opened[i]; c.Files[i].Group == TurnGroup {
				return o.since.newFault(
					"file %s is open when the turn of a rank ends, but the next one opens it: close "+
						"it in the turn", o.name)
			}
		}
	}
	return nil
}

// fileOpenVerb returns "opened" or "created", for the current step, which opens a file.
func (c *checker) fileOpenVerb() string {
	if c.op == Read || c.step.Existing {
		return "opened"
	}
	return "created"
}

func (c *checker) checkFileOpen() error {
	b := &c.step.Batch
	f, name := &c.opened[b.File], c.Files[b.File].Name
	verb := c.fileOpenVerb()
	if i, is := c.openByName[name]; is {
		return c.currentFault("file %s is %s, but file %s is open since %s: close it first", name, verb, name,
			c.opened[i].since)
	}
	group := c.Files[b.File].Group
	if group == TurnGroup && c.turnBegin == (stepLocation{}) {
		return c.currentFault("file %s is %s, but %s write and read it: do it in a turn", name, verb, group)
	}
	in := c.files[name]
	switch {
	case verb == "created":
		in = &fileContent{known: true}
	case in != nil && c.contentKnown[b.File]:
	case c.contentKnown[b.File] && group != Self: // another process may have created a file of group Self
		return c.currentFault("file %s is opened, but no step has created it: create it in part write", name)
	default:
		in = &fileContent{}
	}
	c.files[name], c.openByName[name] = in, b.File
	*f = openedFile{in: in, name: name, since: c.currentLocation()}
	return nil
}

func (c *checker) checkFileClose(f *openedFile) error {
	if f.objects > 0 {
		for i := range c.objects {
			for n := range c.objects[i].rangesWithin(0, c.Objects[i].Count) {
				if n.value.open && n.value.file == c.step.File {
					return c.currentFault("file %s is closed, but %s is open since %s: close it first", f.name,
						c.objectText(i, n.from), n.value.since)
				}
			}
		}
	}
	delete(c.openByName, f.name)
	*f = openedFile{since: c.currentLocation()}
	return nil
}
