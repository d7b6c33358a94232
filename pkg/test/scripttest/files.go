package scripttest

import (
	"fmt"
	"strings"
)

// who are the ranks that do something with a file.
type who int

const (
	all who = iota
	root
	leaders
	turns
	alone // each rank has one of its own
	number
)

// file is a file that the script writes.
type file struct {
	name     string // as an expression
	by       who
	groups   int // of ranks that take turns
	variable string
	datasets []*dataset
	made     int // datasets, with those that were unlinked
	attrs    []attribute
	objects  bool // with POSIX, its objects are files
	// An object has several names, so that a visit may find it under another one than that of its family.
	hardLinks bool
}

// sharers returns the least and the largest number of ranks that share the file.
func (f *file) sharers() (least, most int) {
	switch {
	case f.by == all, f.by == turns && f.groups == 1:
		return Ranks, Ranks
	case f.by == turns:
		return Ranks / f.groups, Ranks/f.groups + Ranks%f.groups
	}
	return 1, 1
}

// attribute is an attribute, or several, of a file, of a group or of a dataset.
type attribute struct{ name, dtype, shape string } // expressions; shape "": a scalar

// nameOfFile returns a new name of a file, as an expression that has another value for each file there is.
func (g *grammar) nameOfFile(by who) string {
	name := g.name()
	switch by {
	case leaders:
		return fmt.Sprintf(`"%s_%%d" %% job.%s`, name, g.pick("rank", "node"))
	case alone:
		return fmt.Sprintf(`"%s_%%d" %% job.rank`, name)
	case turns:
		return fmt.Sprintf(`"%s_%%d" %% group`, name)
	}
	return fmt.Sprintf("%q", name)
}

// doneBy writes steps of those ranks that share a file.
func (g *grammar) doneBy(f *file, body func()) {
	name := "by_" + g.name()
	switch f.by {
	case root:
		g.block("def "+name+"():", body)
		g.line("job.root(%s)", name)
	case leaders:
		g.block("def "+name+"():", body)
		g.line("job.leaders(%s)", name)
	case turns:
		g.block("def "+name+"(group):", body)
		g.line("job.turns(%s, groups = %s)", name, g.rarely(fmt.Sprint(f.groups), g.between(1, 4)))
	default:
		body()
	}
}

// beginFile writes the step that creates a file.
func (g *grammar) beginFile(f file) *file {
	f.variable, f.objects = g.name(), g.oneIn(5)
	verb, how := g.rarely("create", "open"), f.howToOpen()
	if f.by == alone || f.by == leaders { // files that other ranks may have created are looked for in the run only
		verb, how = "create", how+g.rarely(", alone = True", "")
	}
	g.line("%s = job.%s(%s%s)", f.variable, verb, f.name, how)
	g.files = append(g.files, &f)
	return &f
}

// howToOpen returns the arguments with which each rank opens the file.
func (f *file) howToOpen() string {
	if f.objects {
		return ", object_files = True"
	}
	return ""
}

// fence writes a step in which ranks wait for one another, if all of them share the file.
func (g *grammar) fence(f *file) {
	if f.by == all {
		g.line("job.fence()")
	}
}

// endFile writes the last steps with a file.
func (g *grammar) endFile(f *file) {
	if g.oneIn(3) {
		g.line("%s.flush()", f.variable)
	}
	g.line("%s", g.rarely(f.variable+".close()", "pass"))
}

// again writes steps of all ranks with a file that rank 0 has created.
func (g *grammar) again(f *file) {
	if f.by != root {
		return
	}
	g.line("%s = job.open(%s%s)", f.variable, f.name, f.howToOpen())
	more := &file{name: f.name, by: all, variable: f.variable, objects: f.objects, hardLinks: f.hardLinks}
	g.files = append(g.files, more)
	for _, d := range f.datasets {
		// Open MPI refuses the file view with which HDF5 1.10 writes chunks whose order in the file is another one.
		if d.groups == nil && d.members == nil && !d.chunked && !d.compact && g.oneIn(2) {
			g.line("%s = %s[%s]", d.variable, f.variable, d.name)
			g.line("%s.write(%s%s)", d.variable, g.covering(d.dims, more), g.mode(more))
			g.line("%s.close()", d.variable)
		}
	}
	g.objects(more)
	g.endFile(more)
}

// read writes what read(job) does.
func (g *grammar) read() {
	g.line("job.dump()")
	last := g.files[len(g.files)-1]
	for _, f := range g.files {
		if f != last && g.oneIn(4) {
			continue
		}
		if g.oneIn(4) {
			g.line("job.dump()")
		}
		reader := *f
		switch { // others may read what is whole
		case (f.by == all || f.by == root) && g.oneIn(4):
			reader.by, reader.groups = who(g.IntN(int(number))), 1
		case f.by == alone && g.oneIn(6):
			reader.by = leaders
		}
		g.doneBy(&reader, func() { g.fetch(f, &reader) })
	}
	if g.mistakes && g.oneIn(4) {
		g.line("%s = job.%s(%s)", last.variable, g.rarely("open", "create"), `"none"`)
		g.line("%s.close()", last.variable)
	}
}

// fetch writes the steps that read a file.
func (g *grammar) fetch(f, reader *file) {
	how, name := f.howToOpen(), f.name
	if reader.by == alone || reader.by == leaders {
		how += ", alone = True"
	}
	// In files of other ranks. Of several datasets, their places in plain files were those of all of them.
	of := f.by == alone && reader.by == alone && f.made == 1 && g.oneIn(2)
	if of {
		name = strings.TrimSuffix(f.name, "job.rank") + "((job.rank + 1) % job.ranks)"
	}
	g.line("%s = job.open(%s%s)", f.variable, name, how)
	if len(f.attrs) > 0 && !of && g.oneIn(2) {
		g.line("%s.attrs.values()", f.variable)
	}
	g.readAttributes(f.variable, f.attrs)
	for _, d := range f.datasets {
		if g.oneIn(5) {
			continue
		}
		g.fetchDataset(f, reader, d, of)
	}
	g.line("%s.close()", f.variable)
}

// readAttributes writes steps that read attributes.
func (g *grammar) readAttributes(of string, attrs []attribute) {
	for _, a := range attrs {
		switch shape := ""; g.IntN(3) {
		case 0:
			if a.shape != "" {
				shape = ", shape = " + a.shape
			}
			g.line("%s.attrs.open(%s, %s%s)", of, a.name, a.dtype, shape)
		case 1:
			if a.name[0] == '"' {
				g.line("%s.attrs[%s]", of, a.name)
			}
		}
	}
}
