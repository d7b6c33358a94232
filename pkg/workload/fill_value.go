package workload

import (
	"encoding/binary"
	"math"
)

// IntegerBytes returns an integer as an element of the type has it in the file. It returns nil if elements are not
// single integers or bit fields, or cannot have this value.
func (t Type) IntegerBytes(v int64) []byte {
	if t.Class != Unsigned && t.Class != Signed && t.Class != BitField || t.Array != nil || t.Size > 8 {
		return nil
	}
	bits := uint64(v)
	if unused := 64 - 8*t.Size; t.Class == Signed && v<<unused>>unused != v ||
		t.Class != Signed && (v < 0 || bits<<unused>>unused != bits) {
		return nil
	}
	return t.orderedBytes(bits)
}

// RealBytes returns a number as an element of the type has it in the file, rounded. It returns nil if elements are not
// single floating-point numbers of 4 or 8 bytes.
func (t Type) RealBytes(v float64) []byte {
	switch {
	case t.Class != Float || t.Array != nil:
		return nil
	case t.Size == 4 && math.IsInf(float64(float32(v)), 0) != math.IsInf(v, 0): // too large
		return nil
	case t.Size == 4:
		return t.orderedBytes(uint64(math.Float32bits(float32(v))))
	case t.Size == 8:
		return t.orderedBytes(math.Float64bits(v))
	}
	return nil
}

// orderedBytes returns the lowest bytes of a number in the byte order of the type.
func (t Type) orderedBytes(bits uint64) []byte {
	if t.BigEndian {
		return binary.BigEndian.AppendUint64(nil, bits)[8-t.Size:]
	}
	return binary.LittleEndian.AppendUint64(nil, bits)[:t.Size]
}

// number returns an element in the file as a number of up to 8 bytes.
func (t Type) number(element []byte) (bits uint64) {
	for i, b := range element {
		if !t.BigEndian {
			b = element[len(element)-1-i]
		}
		bits = bits<<8 | uint64(b)
	}
	return bits
}

// IntegerOf returns the value of an element in the file; IntegerBytes is its inverse.
func (t Type) IntegerOf(element []byte) int64 {
	v := int64(t.number(element))
	if unused := 64 - 8*t.Size; t.Class == Signed {
		return v << unused >> unused
	}
	return v
}

// RealOf returns the value of an element in the file; RealBytes is its inverse.
func (t Type) RealOf(element []byte) float64 {
	if t.Size == 4 {
		return float64(math.Float32frombits(uint32(t.number(element))))
	}
	return math.Float64frombits(t.number(element))
}
