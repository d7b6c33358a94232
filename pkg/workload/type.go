package workload

import (
	"fmt"
	"reflect"
	"slices"

	"h5perf/pkg/fill"
	"h5perf/pkg/pattern"
)

// TypeClass is a class of element types.
type TypeClass int

// The classes of types.
const (
	Unsigned TypeClass = iota
	Signed
	Float    // IEEE 754 in 2, 4 or 8 bytes; in 16 bytes the extended precision of x86
	BitField // a bit field
	Text     // a string of fixed size
	Opaque   // bytes without a meaning
	Compound // members one after another
	Sequence // any number of values of one type
)

// Type is the type of the elements of a dataset or attribute in a file.
type Type struct {
	Class TypeClass
	// In bytes; compound: the least size, with unused bytes after the last member; sequence, or text of variable
	// length: the mean size.
	Size      uint64
	BigEndian bool // number or bit field: big-endian, not little-endian
	Words     []EnumValue
	Padding   Padding  // text: how it is filled up
	UTF8      bool     // text: UTF-8, not ASCII
	Variable  bool     // text: of variable length
	Tag       string   // opaque: the tag in the file
	Members   []Member // compound: its members, in order; sequence: one without a name, the type of its values
	Array     []uint64 // extent, if an element is an array of values of this type
}

// EnumValue is a named value of an enumeration, whose type is of class Unsigned or Signed.
type EnumValue struct {
	Name  string
	Value int64
}

// Padding says which bytes fill the rest of a fixed-length string after its last character.
type Padding int

// The paddings.
const (
	ZeroPadding    Padding = iota // zeros, if any
	NullTerminated                // zeros, at least one
	SpacePadding
)

// Member is a member of a compound. Members are in the order of their offsets, do not overlap, and may have gaps
// between them.
type Member struct {
	Name string
	Type Type
	Gap  uint64 // number of unused bytes before the member
}

// IsVariable reports whether the type is, or contains, a sequence or a text of variable length.
func (t Type) IsVariable() bool {
	return t.Variable || t.Class == Sequence ||
		slices.ContainsFunc(t.Members, func(m Member) bool { return m.Type.IsVariable() })
}

// MemoryBytes returns the size of an element in the memory of an application that uses HDF5, in bytes: a text of
// variable length is a pointer there, and a sequence a length and a pointer.
func (t Type) MemoryBytes() uint64 { return t.bytesWith(8, 16) }

// FileBytes returns the size of an element in the storage of an HDF5 dataset, in bytes: what has a variable length is
// there a reference to a heap.
func (t Type) FileBytes() uint64 { return t.bytesWith(16, 16) }

// maxHeapBytes is the largest number of bytes that something of variable length needs in an HDF5 file besides its
// values: 16 for the reference, 16 for the header in the heap, and what rounds its values up to 8 bytes.
const maxHeapBytes = 40

// StoredBytes returns the largest mean size of an element in an HDF5 file, in bytes.
func (t Type) StoredBytes() uint64 {
	parts := t.bytesWith(1, 1) - t.bytesWith(0, 0)
	return t.Bytes() + parts*maxHeapBytes
}

// bytesWith returns the size of an element if a text of variable length and a sequence have the given sizes in bytes.
func (t Type) bytesWith(text, sequence uint64) uint64 {
	n := t.Size
	switch {
	case t.Variable:
		n = text
	case t.Class == Sequence:
		n = sequence
	case t.Class == Compound:
		one := t
		one.Array = nil
		n = one.Bytes() - t.usedBytes()
		for _, m := range t.Members {
			n += m.Gap + m.Type.bytesWith(text, sequence)
		}
	}
	return n * pattern.Product(t.Array)
}

// Bytes returns the size of an element in bytes; the mean size, if it is variable.
func (t Type) Bytes() uint64 {
	n := t.Size
	if t.Class == Compound {
		n = max(n, t.usedBytes())
	}
	return n * pattern.Product(t.Array)
}

// String returns a short name of the type, such as f64 or compound of 24 bytes.
func (t Type) String() string {
	one := t
	one.Array = nil
	var text string
	switch t.Class {
	case Text, Opaque, Compound:
		about := ""
		if t.Variable {
			about = "about "
		}
		text = fmt.Sprintf("%s of %s%d bytes", map[TypeClass]string{
			Text: "text", Opaque: "opaque", Compound: "compound",
		}[t.Class], about, one.Bytes())
	case Sequence:
		of := t.Members[0].Type
		text = fmt.Sprintf("sequence of about %d %v", t.Size/of.Bytes(), of)
	case Unsigned, Signed, Float, BitField:
		bits := 8 * t.Size
		if t.Class == Float && t.Size == 16 {
			bits = 80
		}
		text = fmt.Sprint(map[TypeClass]string{Unsigned: "u", Signed: "i", Float: "f", BitField: "b"}[t.Class], bits)
		if t.BigEndian {
			text += "be"
		}
		if t.Words != nil {
			text = "enum of " + text
		}
	}
	if t.Array != nil {
		text = fmt.Sprintf("array %d of %s", t.Array, text)
	}
	return text
}

// usedBytes returns the size of a compound up to the end of its last member, in bytes.
func (t Type) usedBytes() uint64 {
	n := uint64(0)
	for _, m := range t.Members {
		n += m.Gap + m.Type.Bytes()
	}
	return n
}

// Byte is the type of unsigned numbers of one byte.
var Byte = Type{Class: Unsigned, Size: 1}

// Fields returns the fields of an element in the order of their offsets: numbers, texts and unused bytes. Like values
// one after another are one field.
func (t Type) Fields() []fill.Field {
	one := t
	one.Array = nil
	switch {
	case t.Array != nil:
		return repeatFields(one, pattern.Product(t.Array))
	case t.Class == Compound:
		return t.memberFields()
	case t.Class == Sequence:
		item := t.Members[0].Type
		all := repeatFields(item, t.Size/item.Bytes())
		all[0].Variable = true
		return all
	}
	return t.valueFields()
}

// repeatFields returns the field of a number of values of a type, one after another.
func repeatFields(of Type, number uint64) []fill.Field {
	all := of.Fields()
	if f := &all[0]; len(all) == 1 && f.Count == 0 && !f.Variable {
		f.Count = number
		return all
	}
	return []fill.Field{{Kind: fill.Group, Size: of.Bytes(), Count: number, Fields: all}}
}

// memberFields returns the fields of the members of a compound, and its unused bytes.
func (t Type) memberFields() (all []fill.Field) {
	at := uint64(0)
	for _, m := range t.Members {
		all = appendUnused(all, at, m.Gap)
		at += m.Gap
		for _, f := range m.Type.Fields() {
			f.Offset += at
			all = append(all, f)
		}
		at += m.Type.Bytes()
	}
	return appendUnused(all, at, t.Bytes()-at)
}

// valueFields returns the fields of one number, text or bit field.
func (t Type) valueFields() []fill.Field {
	f := fill.Field{Size: t.Size, BigEndian: t.BigEndian}
	switch t.Class {
	case Float:
		f.Kind = fill.Real
	case Text:
		f.Kind, f.Variable = fill.Letters, t.Variable
		if t.Padding == NullTerminated && !t.Variable {
			f.Size--
			end := fill.Field{Kind: fill.Terminator, Offset: f.Size, Size: 1}
			if f.Size == 0 {
				return []fill.Field{end}
			}
			return []fill.Field{f, end}
		}
	default:
		for _, w := range t.Words {
			f.Choices = append(f.Choices, w.Value)
		}
	}
	return []fill.Field{f}
}

// appendUnused appends a field for bytes of a compound that belong to no member.
func appendUnused(all []fill.Field, at, bytes uint64) []fill.Field {
	if bytes == 0 {
		return all
	}
	return append(all, fill.Field{Kind: fill.Gap, Offset: at, Size: bytes})
}

// MemberByName returns the type of a member of a compound, its offset in bytes, and whether there is a member with this
// name.
func (t Type) MemberByName(name string) (typ Type, offset uint64, is bool) {
	for _, m := range t.Members {
		if offset += m.Gap; m.Name == name {
			return m.Type, offset, true
		}
		offset += m.Type.Bytes()
	}
	return Type{}, 0, false
}

// FormInStructure returns the form of memory in which compounds are parts of larger structures. It returns an error if
// the structure does not have the members of the compound, with their types and one after another.
func FormInStructure(structure, compound Type) (pattern.MemoryArrangement, error) {
	_, from, _ := structure.MemberByName(compound.Members[0].Name)
	next := from
	for _, m := range compound.Members {
		typ, offset, is := structure.MemberByName(m.Name)
		if !is || !reflect.DeepEqual(typ, m.Type) || offset != next {
			return pattern.MemoryArrangement{},
				fmt.Errorf("the structure in memory must have the members of the dataset, with "+
					"their types and after one another, but it does not have %q so", m.Name)
		}
		next += typ.Bytes()
	}
	return pattern.MemoryArrangement{Kind: pattern.Member, MemberOffset: from, StructBytes: structure.Bytes()}, nil
}
