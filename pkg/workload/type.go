package workload

import (
	"fmt"
	"reflect"

	"h5perf/pkg/fill"
	"h5perf/pkg/pattern"
)

// TypeClass is a class of types of elements.
type TypeClass int

// The classes of types.
const (
	Unsigned TypeClass = iota
	Signed
	Float    // IEEE 754 in 2, 4 or 8 bytes; in 16 bytes the extended precision of x86
	Bits     // a bit field
	Text     // a number of characters
	Opaque   // bytes without a meaning
	Compound // members one after another
)

// Type is the type of the elements of a dataset or attribute, as it is in a file.
type Type struct {
	Class     TypeClass
	Size      uint64 // in bytes; of a compound: the least size, where bytes after the last member are not used
	BigEndian bool   // of a number or bit field; else it is little-endian
	Words     []EnumWord
	Padding   Padding  // of a text
	UTF8      bool     // of a text; else it is ASCII
	Variable  bool     // of a text of an attribute: its length is stored with it, and Size is that of those made here
	Tag       string   // of opaque bytes
	Members   []Member // of a compound
	Array     []uint64 // extent, if an element is an array of values of this type
}

// EnumWord is a word of an enumeration, which is of class Unsigned or Signed.
type EnumWord struct {
	Name  string
	Value int64
}

// Padding is what fills up a text.
type Padding int

// The paddings.
const (
	Zeros      Padding = iota // zeros, if any
	Terminated                // a zero at least
	Spaces
)

// Member is a part of a compound. Members follow each other.
type Member struct {
	Name string
	Type Type
	Gap  uint64 // bytes before it that are not used
}

// Bytes returns the size of an element.
func (t Type) Bytes() uint64 {
	n := t.Size
	if t.Class == Compound {
		n = max(n, t.usedBytes())
	}
	return n * pattern.Product(t.Array)
}

// String returns the type in a word, such as f64 or a compound of 24 bytes.
func (t Type) String() string {
	one := t
	one.Array = nil
	var text string
	switch t.Class {
	case Text, Opaque, Compound:
		text = fmt.Sprintf("%s of %d bytes", map[TypeClass]string{
			Text: "text", Opaque: "opaque", Compound: "compound",
		}[t.Class], one.Bytes())
	case Unsigned, Signed, Float, Bits:
		bits := 8 * t.Size
		if t.Class == Float && t.Size == 16 {
			bits = 80
		}
		text = fmt.Sprint(map[TypeClass]string{Unsigned: "u", Signed: "i", Float: "f", Bits: "b"}[t.Class], bits)
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

// usedBytes returns the size of a compound up to the end of its last member.
func (t Type) usedBytes() uint64 {
	n := uint64(0)
	for _, m := range t.Members {
		n += m.Gap + m.Type.Bytes()
	}
	return n
}

// Byte is an unsigned number of one byte.
var Byte = Type{Class: Unsigned, Size: 1}

// Fields returns the numbers and texts of an element, by their offsets.
func (t Type) Fields() []fill.Field { return t.appendFields(nil, 0) }

// appendFields appends the fields of an element that begins at an offset.
func (t Type) appendFields(all []fill.Field, at uint64) []fill.Field {
	one := t
	one.Array = nil
	for end := at + t.Bytes(); at < end; at += one.Bytes() {
		all = one.appendValue(all, at)
	}
	return all
}

// appendValue appends the fields of a value of a type without an array.
func (t Type) appendValue(all []fill.Field, at uint64) []fill.Field {
	f := fill.Field{Offset: at, Size: t.Size, BigEndian: t.BigEndian}
	switch t.Class {
	case Compound:
		end := at + t.Bytes()
		for _, m := range t.Members {
			all = appendUnused(all, at, m.Gap)
			at += m.Gap
			all = m.Type.appendFields(all, at)
			at += m.Type.Bytes()
		}
		return appendUnused(all, at, end-at)
	case Float:
		f.Kind = fill.Real
	case Text:
		f.Kind = fill.Letters
		if t.Padding == Terminated && !t.Variable {
			if f.Size--; f.Size > 0 {
				all = append(all, f)
			}
			return append(all, fill.Field{Kind: fill.Terminator, Offset: at + f.Size, Size: 1})
		}
	default:
		for _, w := range t.Words {
			f.Choices = append(f.Choices, w.Value)
		}
	}
	return append(all, f)
}

// appendUnused appends bytes of a compound that belong to no member.
func appendUnused(all []fill.Field, at, bytes uint64) []fill.Field {
	if bytes == 0 {
		return all
	}
	return append(all, fill.Field{Kind: fill.Gap, Offset: at, Size: bytes})
}

// MemberByName returns a member of a compound, and its offset in bytes, and reports whether there is one of this name.
func (t Type) MemberByName(name string) (typ Type, offset uint64, is bool) {
	for _, m := range t.Members {
		if offset += m.Gap; m.Name == name {
			return m.Type, offset, true
		}
		offset += m.Type.Bytes()
	}
	return Type{}, 0, false
}

// FormInStructure returns the form of structures in memory that have the members of a compound after one another.
func FormInStructure(structure, compound Type) (pattern.MemoryForm, error) {
	_, from, _ := structure.MemberByName(compound.Members[0].Name)
	next := from
	for _, m := range compound.Members {
		typ, offset, is := structure.MemberByName(m.Name)
		if !is || !reflect.DeepEqual(typ, m.Type) || offset != next {
			return pattern.MemoryForm{},
				fmt.Errorf("the structure in memory must have the members of the dataset, with "+
					"their types and after one another, but it does not have %q so", m.Name)
		}
		next += typ.Bytes()
	}
	return pattern.MemoryForm{Kind: pattern.Member, Offset: from, Size: structure.Bytes()}, nil
}
