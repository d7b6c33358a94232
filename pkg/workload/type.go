package workload

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
