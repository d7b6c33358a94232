package workload

import (
	"fmt"
	"math"
	"strings"
)

// Uses are the files and objects of a program as other processes have to know them.
type Uses struct {
	Files   []FileUse
	Objects []ObjectUse

	program *Program
	places  []usePlace // of Objects
}

// FileUse is a file that a program creates or opens.
type FileUse struct {
	Name    string
	Created Creation
	Line    int // of the first step that does so; 0: not known
}

// Creation is how a process creates a file.
type Creation uint8

// The ways to create a file.
const (
	NotCreated Creation = iota // the process only opens it
	WithAll                    // all processes create it together
	ByItself                   // the process creates it, and no other one with it
)

// ObjectUse is objects in a file that a program creates, or opens without having created them. It has hashes, which are
// equal on all processes, and a fixed size.
type ObjectUse struct {
	File, Place uint64
	From, To    uint64 // numbers of the objects in their place, up to To - 1
	// Of type, extent and values; and of all that they are, which is 0 if it is not to be compared.
	Data, Storage uint64
	Shape         uint64 // of their paths, without numbers
	// Where their data are in a plain file: number n is Base + n × Stride bytes from its start, modulo 2⁶⁴. 0: they
	// have no data.
	Base, Stride uint64
	Created      bool
	Vague        bool // others may have some of these objects in other places
}

// usePlace is where a program uses objects.
type usePlace struct {
	object int
	member uint64 // that has the number From
	line   int
}

// Uses returns the files and objects that the program uses. What it opens as it has created it is left out.
func (p *Program) Uses() Uses {
	c := useCollector{
		Uses: Uses{program: p}, names: p.memberNamings(), files: map[string]int{}, known: map[ObjectUse]bool{},
	}
	for op := range p.Parts {
		for s := range p.Parts[op].Steps() {
			switch s.Class {
			case FileOpen:
				c.addFileUse(Op(op), s)
			case Create, Open:
				c.addObjectUses(Op(op), s)
			}
		}
	}
	c.leaveOutOwn()
	return c.Uses
}

// useCollector collects uses.
type useCollector struct {
	Uses
	names []memberNaming
	files map[string]int // by name: in Files
	known map[ObjectUse]bool
}

// addFileUse adds a step that creates or opens a file.
func (c *useCollector) addFileUse(op Op, s *Step) {
	f := &c.program.Files[s.File]
	created := NotCreated
	switch {
	case op == Read || s.Existing:
	case f.Group == All:
		created = WithAll
	default:
		created = ByItself
	}
	i, is := c.files[f.Name]
	if !is {
		i = len(c.Files)
		c.files[f.Name], c.Files = i, append(c.Files, FileUse{Name: f.Name, Line: s.Line})
	}
	if created > c.Files[i].Created {
		c.Files[i].Created, c.Files[i].Line = created, s.Line
	}
}

// addObjectUses adds a step that creates or opens objects. Processes that take turns do the same calls: the first one
// of them creates what the others open, so that all must be the same. A dataset that grows is opened with the first
// extent of those that it has, or with the last one.
func (c *useCollector) addObjectUses(op Op, s *Step) {
	o, f, n := &c.program.Objects[s.Object], &c.program.Files[s.File], &c.names[s.Object]
	u := ObjectUse{
		File: hashOfText(f.Name), Created: s.Class == Create, Vague: n.shared || n.family,
		Shape: hashOfText(c.program.shapeOfPath(s.Object)),
	}
	if u.Created || f.Group == Band && op == Write {
		u.Storage = o.hashOfKind()
	}
	extents := [][]uint64{o.Dims}
	if u.Created && o.Initial != nil {
		extents = append(extents, o.Initial)
	}
	for _, extent := range extents {
		u.Data = Object{Kind: o.Kind, Type: o.Type, Null: o.Null, Dims: extent, Ratio: o.Ratio}.hashOfKind()
		for at := range n.stretchesOf(o, s.First, s.Count) {
			u.Place, u.From, u.To = hashOfText(placeName(f.Name, at.numberedPlace)), at.from, at.to
			if o.Kind == DatasetObject && o.Bytes() > 0 {
				u.Base, u.Stride = o.Base+(at.member-at.from)*o.Stride, o.Stride
			}
			if c.known[u] {
				continue
			}
			c.known[u] = true
			c.Objects = append(c.Objects, u)
			c.places = append(c.places, usePlace{s.Object, at.member, s.Line})
		}
	}
}

// leaveOutOwn leaves out what the program opens as it has created it.
func (c *useCollector) leaveOutOwn() {
	created, kept := newCreatedObjects(c.Objects), 0
	for i := range c.Objects {
		u := &c.Objects[i]
		if u.Created || created.firstUncreated(u) < u.To {
			c.Objects[kept], c.places[kept] = *u, c.places[i]
			kept++
		}
	}
	c.Objects, c.places = c.Objects[:kept], c.places[:kept]
}

// hashOfKind returns a hash of what the members of a family are, beside their names and places.
func (o Object) hashOfKind() uint64 {
	o.File, o.Parent, o.Each, o.Count, o.Name, o.First, o.Base, o.Stride = 0, 0, 0, 0, "", 0, 0, 0
	return hashOfText(fmt.Sprintf("%+v", o))
}

// shapeOfPath returns the path of the members of a family without its numbers.
func (p *Program) shapeOfPath(family int) string {
	o := &p.Objects[family]
	in := shapeOfName(p.Files[o.File].Name) + ":"
	if o.Parent != NoParent {
		in = p.shapeOfPath(o.Parent)
	}
	return in + "/" + shapeOfName(o.Name)
}

// objectLikeness is what objects that are opened have in common with those that were created.
type objectLikeness struct{ place, data, storage uint64 }

// createdObjects knows which objects are created.
type createdObjects struct {
	like  map[objectLikeness]*rangeMap[bool]
	any   map[uint64]*rangeMap[int] // by place: the number of the use, plus 1
	vague map[uint64]bool           // by shape
}

func newCreatedObjects(all []ObjectUse) *createdObjects {
	c := &createdObjects{map[objectLikeness]*rangeMap[bool]{}, map[uint64]*rangeMap[int]{}, map[uint64]bool{}}
	for i := range all {
		u := &all[i]
		if !u.Created {
			continue
		}
		for _, k := range []objectLikeness{{u.Place, u.Data, 0}, {u.Place, u.Data, u.Storage}} {
			if c.like[k] == nil {
				c.like[k] = &rangeMap[bool]{}
			}
			c.like[k].setRange(u.From, u.To, true)
		}
		if c.any[u.Place] == nil {
			c.any[u.Place] = &rangeMap[int]{}
		}
		c.any[u.Place].setRange(u.From, u.To, i+1)
		c.vague[u.Shape] = c.vague[u.Shape] || u.Vague
	}
	return c
}

// firstUncreated returns the first number of a use that nothing has created like it; To if all were.
func (c *createdObjects) firstUncreated(u *ObjectUse) uint64 {
	all := c.like[objectLikeness{u.Place, u.Data, u.Storage}]
	if all == nil {
		return u.From
	}
	for n := range all.rangesWithin(u.From, u.To) {
		if !n.value {
			return n.from
		}
	}
	return u.To
}

// FindUncreated returns the first one of the uses of all processes that opens what nothing has created like it, the use
// that has created it as something else, or -1, and the number of the object. It returns false if there is none.
func FindUncreated(all []ObjectUse) (opens, creates int, number uint64, found bool) {
	c := newCreatedObjects(all)
	for i := range all {
		u := &all[i]
		if u.Created {
			continue
		}
		at := c.firstUncreated(u)
		if at == u.To {
			continue
		}
		if other := c.any[u.Place]; other != nil {
			for n := range other.rangesWithin(at, u.To) {
				if n.value > 0 {
					return i, n.value - 1, n.from, true
				}
			}
		}
		if !u.Vague && !c.vague[u.Shape] {
			return i, -1, at, true
		}
	}
	return 0, -1, 0, false
}

// FindMisplaced returns the first one of the uses of all processes that opens an object of which plain files have the
// data at another place than where the use that has created it puts them, that one, and the number of the object. It
// returns false if there is none.
func FindMisplaced(all []ObjectUse) (opens, creates int, number uint64, found bool) {
	c := newCreatedObjects(all)
	for i := range all {
		u := &all[i]
		made := c.any[u.Place]
		if u.Created || made == nil {
			continue
		}
		for n := range made.rangesWithin(u.From, u.To) {
			if n.value == 0 {
				continue
			}
			switch v := &all[n.value-1]; {
			case u.Base+n.from*u.Stride != v.Base+n.from*v.Stride:
				return i, n.value - 1, n.from, true
			case n.to-n.from > 1 && u.Stride != v.Stride:
				return i, n.value - 1, n.from + 1, true
			}
		}
	}
	return 0, -1, 0, false
}

// Line returns the line of the step that uses objects; 0: not known.
func (u *Uses) Line(object int) int { return u.places[object].line }

// ObjectText returns in words the object of a number that is used, and what it is.
func (u *Uses) ObjectText(object int, number uint64) (path, what string) {
	at := u.places[object]
	o := &u.program.Objects[at.object]
	path = u.program.PathOf(at.object, at.member+number-u.Objects[object].From)
	if o.Kind == GroupObject {
		return "group " + path, "a group"
	}
	parts := []string{"of type " + o.Type.String(), "extent " + extentText(o.Dims)}
	if o.Null {
		parts[1] = "no elements"
	}
	if o.MaxExtent != nil {
		parts = append(parts, "largest extent "+extentText(o.MaxExtent))
	}
	if o.Chunk != nil {
		parts = append(parts, "chunks "+extentText(o.Chunk))
	}
	for _, f := range o.Filters {
		parts = append(parts, fmt.Sprint("filter ", f.Name, " ", f.Level))
	}
	if o.Ratio > 0 {
		parts = append(parts, fmt.Sprint("ratio ", math.Round(o.Ratio*100)/100))
	}
	return "dataset " + path, strings.Join(parts, ", ")
}

// Hash returns a hash of all uses.
func (u *Uses) Hash() uint64 {
	text := fmt.Append(nil, u.Objects)
	for _, f := range u.Files {
		text = fmt.Appendf(text, " %s %d", f.Name, f.Created)
	}
	return hashOfText(string(text))
}

// Hash returns a hash of the name of a file, as ObjectUse.File has it.
func (f *FileUse) Hash() uint64 { return hashOfText(f.Name) }
