package workload

import (
	"fmt"
	"maps"
	"slices"
)

// Fault is the error of a step that cannot be done.
type Fault struct {
	Line   int // of the workload file that asks for the step; 0: not known
	Reason string
}

// Error returns the line and the reason.
func (f *Fault) Error() string {
	if f.Line == 0 {
		return f.Reason
	}
	return fmt.Sprintf("line %d: %s", f.Line, f.Reason)
}

// Check returns a *Fault for the first step that cannot be done: HDF5 would report it only when all steps before it
// were measured, and POSIX and MPI-IO never.
//
// A program tells what one process does. Of what others do it is known that they do the same steps with a file of group
// All while it is open, but for independent transfers. So what is in a file is known as long as it is open after it was
// created; and from then on, if all files of its name are of group All, or all are of group Root or Self.
func (p *Program) Check() error {
	_, err := p.check()
	return err
}

// Passed is what Check sees of the moves of a program that passes it: of each, whether it moves nothing, and the extent
// that it needs of its datasets, where that was compared with theirs.
type Passed struct {
	empty []bool
	ends  [][]uint64
}

// CheckFirst is Check of the first of several programs that differ in what their moves select, and in nothing else.
func (p *Program) CheckFirst() (Passed, error) {
	c, err := p.check()
	first := Passed{make([]bool, len(p.Moves)), c.ends}
	for i := range p.Moves {
		first.empty[i] = p.Moves[i].TransferBytes() == 0
	}
	return first, err
}

// CheckNext is Check of another one of these programs. It goes through the steps only if its moves differ in what Check
// sees of them.
func (p *Program) CheckNext(first Passed) error {
	for i := range p.Moves {
		m := &p.Moves[i]
		if first.empty[i] != (m.TransferBytes() == 0) || first.ends[i] != nil && !fitsIn(m.end(), first.ends[i]) {
			return p.Check()
		}
	}
	return nil
}

// check checks the program, and returns what is known after its last step.
func (p *Program) check() (*checker, error) {
	c := newChecker(p)
	for op := range p.Parts {
		c.op, c.number = Op(op), 0
		clear(c.selected)
		for s := range p.Parts[op].Steps() {
			c.number++
			c.step = s
			if err := c.check(); err != nil {
				return c, err
			}
		}
		for _, i := range c.openFiles() {
			return c, c.opened[i].since.fault("file %s is open at the end of part %s: close it after its last step",
				c.opened[i].name, c.op)
		}
	}
	return c, p.checkMemory()
}

// checker knows what is open and what is in files after some steps of a program.
type checker struct {
	*Program
	op     Op
	number int // of the step in its part, from 1
	step   *Step

	files    map[string]*content // by name
	opened   []openFile          // by file
	open     map[string]int      // files that are open, by name
	known    []bool              // by file: whether what is in a file is known after it was closed
	names    []naming            // by family of objects
	objects  []spans[handle]     // by family of objects: what was opened and closed
	vague    []bool              // by family of attributes: whether others may have the same names
	selected []bool              // by move: whether its selection was built
	ends     [][]uint64          // by move, as far as they are known: the extent that its selection needs
	turn     source              // where the turn of the process has begun; zero: it has none
	reads    []UnwrittenRead
}

func newChecker(p *Program) *checker {
	c := &checker{
		Program: p, files: map[string]*content{}, opened: make([]openFile, len(p.Files)), open: map[string]int{},
		names:   p.namings(),
		objects: make([]spans[handle], len(p.Objects)), selected: make([]bool, len(p.Moves)),
		ends: make([][]uint64, len(p.Moves)), vague: p.vagueAttributes(),
	}
	groups := map[string][]Group{}
	for i := range p.Files {
		f := &p.Files[i]
		groups[f.Name] = append(groups[f.Name], f.Group)
	}
	for i := range p.Files {
		all := groups[p.Files[i].Name]
		c.known = append(c.known, all[0] != Band && len(slices.Compact(slices.Clone(all))) == 1)
	}
	return c
}

// openFiles returns the files that are open, in ascending order.
func (c *checker) openFiles() []int { return slices.Sorted(maps.Values(c.open)) }

// openFile is a file that is open.
type openFile struct {
	in      *content // nil: none is open
	name    string
	since   source
	objects uint64 // that are open
}

// source is the place of a step: a line, or a number in a part.
type source struct {
	line, number int
	op           Op
}

func (s source) String() string {
	if s.line > 0 {
		return fmt.Sprint("line ", s.line)
	}
	return fmt.Sprintf("step %d of part %s", s.number, s.op)
}

// here returns the place of the step at work. Steps of the same line are at the same place.
func (c *checker) here() source {
	if c.step.Line > 0 {
		return source{line: c.step.Line}
	}
	return source{number: c.number, op: c.op}
}

// fault returns an error of the step at a place.
func (s source) fault(format string, args ...any) error {
	reason := fmt.Sprintf(format, args...)
	if s.line == 0 {
		reason = fmt.Sprintf("%s: %s", s, reason)
	}
	return &Fault{s.line, reason}
}

// errorf returns an error of the step at work.
func (c *checker) errorf(format string, args ...any) error { return c.here().fault(format, args...) }

// check checks the step at work, and notes what it does.
func (c *checker) check() error {
	b := &c.step.Batch
	if c.turn != (source{}) && c.Waits(c.step) {
		return c.errorf("all ranks would wait for one another in this step, but they wait for their turns, which "+
			"began in %s: do it before or after the turns", c.turn)
	}
	switch b.Class {
	case FileOpen:
		return c.openFile()
	case Fence:
		return c.fence()
	case Compute:
		return nil
	case Select:
		c.selected[b.Move] = true
		return nil
	}
	f := &c.opened[b.File]
	if f.in == nil {
		return c.notOpen(f)
	}
	switch b.Class {
	case FileClose:
		return c.closeFile(f)
	case Create, Open:
		return c.begin(f)
	case Attribute:
		return c.attributes(f)
	case Transfer:
		return c.transfer(f)
	case Extend:
		return c.extend(f)
	case ObjectClose:
		return c.closeObjects()
	case Unlink:
		return c.unlink(f)
	}
	return nil
}

// fileName returns the name of the file of the step at work, as errors have it.
func (c *checker) fileName() string { return "file " + c.Files[c.step.File].Name }

// notOpen returns the error of a step with a file that is not open to the processes that do it.
func (c *checker) notOpen(f *openFile) error {
	b := &c.step.Batch
	name := c.Files[b.File].Name
	if i, is := c.open[name]; is {
		return c.errorf("%s by %s, but file %s is open to %s since %s: let those do the step that open the file",
			c.doing(b.First), c.Files[b.File].Group, name, c.Files[i].Group, c.opened[i].since)
	}
	closed := ""
	if f.since != (source{}) {
		closed = fmt.Sprintf(" since %s", f.since)
	}
	return c.errorf("%s, but %s is not open%s: open or create the file first", c.doing(b.First), c.fileName(), closed)
}

// fence begins or ends a turn.
func (c *checker) fence() error {
	switch c.step.Turn {
	case Await:
		c.turn = c.here()
	case Pass:
		c.turn = source{}
		for _, i := range c.openFiles() {
			if o := &c.opened[i]; c.Files[i].Group == Band {
				return o.since.fault("file %s is open when the turn of a rank ends, but the next one opens it: close "+
					"it in the turn", o.name)
			}
		}
	}
	return nil
}

// opens returns what the step at work, which opens a file, does to it.
func (c *checker) opens() string {
	if c.op == Read || c.step.Existing {
		return "opened"
	}
	return "created"
}

func (c *checker) openFile() error {
	b := &c.step.Batch
	f, name := &c.opened[b.File], c.Files[b.File].Name
	verb := c.opens()
	if i, is := c.open[name]; is {
		return c.errorf("file %s is %s, but file %s is open since %s: close it first", name, verb, name,
			c.opened[i].since)
	}
	group := c.Files[b.File].Group
	if group == Band && c.turn == (source{}) {
		return c.errorf("file %s is %s, but %s write and read it: do it in a turn", name, verb, group)
	}
	in := c.files[name]
	switch {
	case verb == "created":
		in = &content{known: true}
	case in != nil && c.known[b.File]:
	case c.known[b.File] && group != Self: // another process may have created that of Self
		return c.errorf("file %s is opened, but no step has created it: create it in part write", name)
	default:
		in = &content{}
	}
	c.files[name], c.open[name] = in, b.File
	*f = openFile{in: in, name: name, since: c.here()}
	return nil
}

func (c *checker) closeFile(f *openFile) error {
	if f.objects > 0 {
		for i := range c.objects {
			for n := range c.objects[i].of(0, c.Objects[i].Count) {
				if n.value.open && n.value.file == c.step.File {
					return c.errorf("file %s is closed, but %s is open since %s: close it first", f.name,
						c.objectName(i, n.from), n.value.since)
				}
			}
		}
	}
	delete(c.open, f.name)
	*f = openFile{since: c.here()}
	return nil
}
