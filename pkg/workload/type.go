package workload

import "h5perf/pkg/fill"

// TypeClass is a class of types of elements.
type TypeClass int

// The classes of types.
const (
	Unsigned TypeClass = iota
	Signed
	Float
	Text     // a fixed number of characters
	Compound // members one after another
)

// Type is the type of the elements of a dataset or attribute, as it is in a file: little-endian.
type Type struct {
	Class   TypeClass
	Size    uint64   // in bytes, of a number or text
	Members []Member // of a compound
	Array   []uint64 // extent, if an element is an array of values of this type
}

// Member is a part of a compound. Members follow each other without gaps.
type Member struct {
	Name string
	Type Type
}

// Bytes returns the size of an element.
func (t Type) Bytes() uint64 {
	n := t.Size
	if t.Class == Compound {
		n = 0
		for _, m := range t.Members {
			n += m.Type.Bytes()
		}
	}
	for _, d := range t.Array {
		n *= d
	}
	return n
}

// Byte is an unsigned number of one byte.
var Byte = Type{Class: Unsigned, Size: 1}

// Fields returns the numbers and texts of an element, by their offsets.
func (t Type) Fields() []fill.Field { return t.fields(nil, 0) }

// fields appends the fields of an element that begins at an offset.
func (t Type) fields(all []fill.Field, at uint64) []fill.Field {
	one := t
	one.Array = nil
	for end := at + t.Bytes(); at < end; {
		switch t.Class {
		case Compound:
			for _, m := range t.Members {
				all = m.Type.fields(all, at)
				at += m.Type.Bytes()
			}
			continue
		case Float:
			all = append(all, fill.Field{Kind: fill.Real, Offset: at, Size: t.Size})
		case Text:
			all = append(all, fill.Field{Kind: fill.Letters, Offset: at, Size: t.Size})
		default:
			all = append(all, fill.Field{Kind: fill.Integer, Offset: at, Size: t.Size})
		}
		at += one.Bytes()
	}
	return all
}
