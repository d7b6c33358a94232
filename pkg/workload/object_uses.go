package workload

import (
	"fmt"
	"math"
	"strings"

	"h5perf/pkg/fill"
)

// ProgramUses holds the files and objects of a program, in the form that processes compare with each other.
type ProgramUses struct {
	Files    []FileUse
	Objects  []ObjectUse
	Accesses []FileAccess // of part Write

	program *Program
	places  []useOrigin // by index in Objects
}

// FileUse is a file that a program creates or opens.
type FileUse struct {
	Name    string
	Created FileCreation
	Line    int // line of the first step that does so; 0: not known
}

// FileCreation is how a process creates a file.
type FileCreation uint8

// The ways to create a file.
const (
	OnlyOpened   FileCreation = iota // the process only opens it
	CreatedByAll                     // all processes create it together
	CreatedAlone                     // the process creates it alone
)

// ObjectUse describes objects in a file that a program creates, or that it opens without having created them. It has a
// fixed size: names are hashes, which are equal on all processes.
type ObjectUse struct {
	FileHash, PlaceHash uint64
	From, To            uint64 // the objects have the numbers From to To - 1 in their place
	// DataHash is a hash of type, extent and values. StorageHash is a hash of all properties, or 0 if they are not to
	// be compared.
	DataHash, StorageHash uint64
	ShapeHash             uint64 // hash of their paths without numbers
	// Position of their data in a plain file: number n is Base + n × Stride bytes from its start, modulo 2⁶⁴. 0: they
	// have no data.
	Base, Stride uint64
	Created      bool
	Ambiguous    bool // others may use some of these objects under other places
}

// useOrigin says which objects of the program an ObjectUse describes, and which line of the script creates or opens
// them.
type useOrigin struct {
	object int
	member uint64 // the member with number From
	line   int
}

// Uses returns the files and objects that the program uses. It leaves out objects that the program opens in the form in
// which it has created them.
func (p *Program) Uses() ProgramUses {
	c := objectUseCollector{
		ProgramUses: ProgramUses{program: p}, names: p.memberNamings(), files: map[string]int{},
		known: map[ObjectUse]bool{},
	}
	for op := range p.Parts {
		for s := range p.Parts[op].Steps() {
			switch s.Class {
			case FileOpen:
				c.addFileUse(Op(op), s)
			case Create, Open, CreateLink, Stat, List:
				c.addObjectUses(Op(op), s, s.Object)
			case Rename:
				c.addObjectUses(Op(op), s, s.NewNames)
			}
		}
	}
	c.removeOwnUses()
	c.Accesses = p.fileAccesses()
	return c.ProgramUses
}

type objectUseCollector struct {
	ProgramUses
	names []memberNaming
	files map[string]int // index in Files, by name
	known map[ObjectUse]bool
}

// addFileUse adds the file of a step that creates or opens it.
func (c *objectUseCollector) addFileUse(op Op, s *Step) {
	f := &c.program.Files[s.File]
	created := OnlyOpened
	switch {
	case op == Read || s.Existing:
	case f.Group == All:
		created = CreatedByAll
	default:
		created = CreatedAlone
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

// addObjectUses adds the objects of a family that a step creates or opens, or uses by their names. Processes that take
// turns execute the same calls: the first process creates what the others open, so that all properties must be equal. A
// dataset that grows may be opened with its initial extent or with its last one.
func (c *objectUseCollector) addObjectUses(op Op, s *Step, family int) {
	o, f, n := &c.program.Objects[family], &c.program.Files[s.File], &c.names[family]
	u := ObjectUse{
		FileHash: hashOfText(f.Name), Created: s.changesFile(), Ambiguous: n.shared || n.isOfFamily,
		ShapeHash: hashOfText(c.program.unnumberedPath(family)),
	}
	if u.Created || f.Group == TurnGroup && op == Write {
		u.StorageHash = o.hashOfProperties()
	}
	extents := [][]uint64{o.Dims}
	if u.Created && o.InitialDims != nil {
		extents = append(extents, o.InitialDims)
	}
	for _, extent := range extents {
		u.DataHash = Object{
			Kind: o.Kind, Type: o.Type, Null: o.Null, Dims: extent,
			CompressionRatio: o.CompressionRatio, ValueKind: o.ValueKind,
		}.hashOfProperties()
		if o.OldNames > 0 && o.Kind == DatasetObject {
			u.DataHash ^= hashOfText(c.program.unnumberedPath(c.program.FirstNames(family)))
		}
		for at := range n.rangesOf(o, s.First, s.Count) {
			u.PlaceHash, u.From, u.To = hashOfText(placeName(f.Name, at.numberedPlace)), at.from, at.to
			if o.Kind == DatasetObject && o.Bytes() > 0 {
				u.Base, u.Stride = o.Base+(at.member-at.from)*o.Stride, o.Stride
			}
			if c.known[u] {
				continue
			}
			c.known[u] = true
			c.Objects = append(c.Objects, u)
			c.places = append(c.places, useOrigin{family, at.member, s.Line})
		}
	}
}

// removeOwnUses removes the uses that open objects in the form in which the program has created them.
func (c *objectUseCollector) removeOwnUses() {
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

// hashOfProperties returns a hash of the properties of the members of a family, except their names and places. The
// position of the data in an external file is a property.
func (o Object) hashOfProperties() uint64 {
	o.File, o.Parent, o.PerGroup, o.Count, o.Name, o.First, o.OldNames = 0, 0, 0, 0, "", 0, 0
	if !o.External {
		o.Base, o.Stride = 0, 0
	}
	return hashOfText(fmt.Sprintf("%+v", o))
}

// unnumberedPath returns the path of the members of a family without numbers.
func (p *Program) unnumberedPath(family int) string {
	o := &p.Objects[family]
	in := unnumberedFormat(p.Files[o.File].Name) + ":"
	if o.Parent != NoParent {
		in = p.unnumberedPath(o.Parent)
	}
	return in + "/" + unnumberedFormat(o.Name)
}

// comparedProperties holds the hashes of the properties that must be the same when an object is created and when it is
// opened.
type comparedProperties struct{ place, data, storage uint64 }

// createdObjects is an index of the created objects.
type createdObjects struct {
	byLikeness      map[comparedProperties]*rangeMap[bool]
	byPlace         map[uint64]*rangeMap[int] // by place: index of the use that creates the object, plus 1
	ambiguousShapes map[uint64]bool           // by shape: whether a use that creates such objects is Ambiguous
}

func newCreatedObjects(all []ObjectUse) *createdObjects {
	c := &createdObjects{map[comparedProperties]*rangeMap[bool]{}, map[uint64]*rangeMap[int]{}, map[uint64]bool{}}
	for i := range all {
		u := &all[i]
		if !u.Created {
			continue
		}
		for _, k := range []comparedProperties{{u.PlaceHash, u.DataHash, 0}, {u.PlaceHash, u.DataHash, u.StorageHash}} {
			if c.byLikeness[k] == nil {
				c.byLikeness[k] = &rangeMap[bool]{}
			}
			c.byLikeness[k].setRange(u.From, u.To, true)
		}
		if c.byPlace[u.PlaceHash] == nil {
			c.byPlace[u.PlaceHash] = &rangeMap[int]{}
		}
		c.byPlace[u.PlaceHash].setRange(u.From, u.To, i+1)
		c.ambiguousShapes[u.ShapeHash] = c.ambiguousShapes[u.ShapeHash] || u.Ambiguous
	}
	return c
}

// firstUncreated returns the first number in a use for which no equal object was created; To if there is none.
func (c *createdObjects) firstUncreated(u *ObjectUse) uint64 {
	all := c.byLikeness[comparedProperties{u.PlaceHash, u.DataHash, u.StorageHash}]
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

// FindUncreated searches the uses of all processes for the first one that opens an object that was not created in this
// form. opens is the index of this use. creates is the index of the use that created the object with other properties,
// or -1 if nothing created it. number is the number of the object. found is false if there is no such use.
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
		if other := c.byPlace[u.PlaceHash]; other != nil {
			for n := range other.rangesWithin(at, u.To) {
				if n.value > 0 {
					return i, n.value - 1, n.from, true
				}
			}
		}
		if !u.Ambiguous && !c.ambiguousShapes[u.ShapeHash] {
			return i, -1, at, true
		}
	}
	return 0, -1, 0, false
}

// FindMisplaced searches the uses of all processes for the first one that opens an object whose data have another
// position in plain files than the data of the object as it was created. It returns the indices of both uses, and the
// number of the object. found is false if there is no such use.
func FindMisplaced(all []ObjectUse) (opens, creates int, number uint64, found bool) {
	c := newCreatedObjects(all)
	for i := range all {
		u := &all[i]
		made := c.byPlace[u.PlaceHash]
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

// LineOfObject returns the line of the step of an entry of Objects; 0: not known.
func (u *ProgramUses) LineOfObject(object int) int { return u.places[object].line }

// ObjectText describes an object: its kind and path, and its properties. object is an index in Objects, and number is
// the number of the object in its place.
func (u *ProgramUses) ObjectText(object int, number uint64) (path, what string) {
	at := u.places[object]
	o := &u.program.Objects[at.object]
	path = u.program.PathOf(at.object, at.member+number-u.Objects[object].From)
	if o.Kind == GroupObject {
		return "group " + path, "a group" + o.description()
	}
	if o.Kind == LinkObject {
		return "link " + path, strings.TrimPrefix(o.description(), ", ")
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
		parts = append(parts, fmt.Sprint("filter ", f))
	}
	if o.CompressionRatio > 0 {
		parts = append(parts, fmt.Sprint("ratio ", math.Round(o.CompressionRatio*100)/100))
	}
	if o.ValueKind != fill.RandomValues {
		parts = append(parts, fmt.Sprint("data ", o.ValueKind))
	}
	if o.OldNames > 0 {
		parts = append(parts, "data of "+u.program.PathOf(u.program.FirstNames(at.object), at.member))
	}
	return "dataset " + path, strings.Join(parts, ", ")
}

// Hash returns a hash of all uses.
func (u *ProgramUses) Hash() uint64 {
	text := fmt.Append(nil, u.Objects, u.Accesses)
	for _, f := range u.Files {
		text = fmt.Appendf(text, " %s %d", f.Name, f.Created)
	}
	return hashOfText(string(text))
}

// Hash returns a hash of the name of a file, equal to ObjectUse.FileHash.
func (f *FileUse) Hash() uint64 { return hashOfText(f.Name) }
