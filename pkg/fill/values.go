package fill

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// FieldKind says how a field holds its value.
type FieldKind int

// The kinds of field.
const (
	Integer    FieldKind = iota
	Real                 // a floating-point number of 2, 4, 8 or 16 bytes
	Letters              // characters
	Terminator           // zeros at the end of a string
	Gap                  // unused bytes, which may have any value
)

// Field is a number, a string or other bytes at a fixed place in an element.
type Field struct {
	Kind         FieldKind
	Offset, Size uint64  // in bytes; Offset counts from the start of the element
	BigEndian    bool    // for Integer and Real
	Choices      []int64 // for Integer: the valid values; nil: all
	Sequence     Sequence
}

// Sequence is a part of an element that has any number of items of equal size. Fill writes their mean number. Check
// compares as many as SequenceLength says, but at most the mean number.
type Sequence struct {
	Start     uint64 // offset in the element, in bytes
	ItemBytes uint64
	Mean      uint64 // mean number of items; 0: the field does not belong to a sequence
}

// SequenceLength returns the number of items of a sequence in an element of a dataset, whose number counts from 0. It
// is from 1 to 2 * mean - 1. An element with an even number and the next one have together twice the mean.
func SequenceLength(element, mean uint64) uint64 {
	more := mixBits(element/2) % mean
	if element%2 == 0 {
		return mean + more
	}
	return mean - more
}

// usedBytes returns how many of the bytes of the field at offset at of the dataset belong to its sequence; all, if it
// has none. element is the size of an element.
func (f Field) usedBytes(at, element uint64) uint64 {
	s := f.Sequence
	if s.Mean == 0 {
		return f.Size
	}
	length, from := SequenceLength(at/element, s.Mean)*s.ItemBytes, at%element-s.Start
	return min(f.Size, max(length, from)-from)
}

// FieldValues describes data that can be computed from a seed and the offset in the dataset: each field of each element
// has its own value. They replace stamps in datasets with types for which a stamp would not be a valid value.
type FieldValues struct {
	Seed        uint64 // depends on the run, the iteration and the dataset
	ElementSize uint64 // size of an element in bytes
	// Fields of an element, in the order of their offsets, without gaps; they repeat, if the element is larger.
	Fields []Field
	// Ratio is the size before compression divided by the size after it, as for Compressible; 0: each field has its own
	// value. With a ratio, only the fields in one range of each unit have their own values, and all others have the
	// same value, so that a compressor makes the data smaller. The range is at another place in each unit, so that the
	// blocks of a dataset have about the same ratio.
	Ratio float64
}

// uniqueBytes returns how many bytes of each unit belong to fields with their own values; the other fields have equal
// values, which compress well. Some values, such as reals from 1 to 2, have fewer random bits than their size: a
// compressor makes even unique values smaller, so more of them are needed for the ratio.
func (v FieldValues) uniqueBytes() uint64 {
	if v.Ratio == 0 { // tested here, because an error for each piece would take longer than its bytes
		return unitBytes
	}
	data, err := CompressibleData(v.Ratio)
	if err != nil {
		return unitBytes
	}
	bits := 0.0
	for _, f := range v.Fields {
		bits += f.randomBits()
	}
	if bits == 0 {
		return unitBytes
	}
	return min(unitBytes, uint64(float64(data.randomBytes)*float64(8*v.ElementSize)/bits+0.5))
}

// randomBits returns the number of random bits of a field.
func (f Field) randomBits() float64 {
	switch {
	case f.Kind == Integer && len(f.Choices) > 0:
		return math.Log2(float64(len(f.Choices)))
	case f.Kind == Integer:
		return float64(8*min(f.Size, 8)) - 1
	case f.Kind == Letters:
		return float64(min(f.Size, 8)) * math.Log2(26)
	case f.Kind == Real:
		return map[uint64]float64{2: 10, 4: 23, 8: 52}[f.Size] + float64(f.Size/16*63)
	}
	return 0
}

// valueWord returns the random word from which the field at offset at of the dataset gets its value. fresh is the
// result of uniqueBytes.
func (v FieldValues) valueWord(at, fresh uint64) uint64 {
	if fresh < unitBytes && (at+mixBits(v.Seed+at/unitBytes))%unitBytes >= fresh {
		return mixBits(^v.Seed)
	}
	return mixBits(v.Seed ^ mixBits(at))
}

// Fill writes to dst the bytes that belong at an offset of the dataset. Both the offset and the end of dst must be at
// the start of a field.
func (v FieldValues) Fill(dst []byte, offset uint64) {
	fresh := v.uniqueBytes()
	v.eachField(dst, offset, func(dst []byte, f Field, at uint64) bool {
		f.writeValue(dst, v.valueWord(at, fresh))
		return true
	})
}

// Check compares the bytes got, which were read at an offset of the dataset, with the bytes that Fill writes there. It
// returns the number of bytes that differ, and descriptions of the first fields that differ, at most limit of them.
// Both the offset and the end of got must be at the start of a field.
func (v FieldValues) Check(got []byte, offset uint64, limit int) (wrong uint64, found []string) {
	v.eachDifference(got, offset, func(got, want []byte, at, n uint64) {
		wrong += n
		if len(found) < limit {
			found = append(found,
				fmt.Sprintf("element %d, byte %d: % x instead of % x", at/v.ElementSize, at%v.ElementSize,
					firstBytes(got), firstBytes(want)))
		}
	})
	return wrong, found
}

// ZeroedBytes returns how many of the bytes that Check counts are in fields that are all 0, as if they were never
// written.
func (v FieldValues) ZeroedBytes(got []byte, offset uint64) (bytes uint64) {
	v.eachDifference(got, offset, func(got, _ []byte, _, n uint64) {
		if !slices.ContainsFunc(got, func(b byte) bool { return b != 0 }) {
			bytes += n
		}
	})
	return bytes
}

// eachDifference calls yield for each field that differs, with the bytes that were read and expected, the offset of the
// field in the dataset, and the number of bytes that differ.
func (v FieldValues) eachDifference(got []byte, offset uint64, yield func(got, want []byte, at, n uint64)) {
	var buffer [64]byte
	fresh := v.uniqueBytes()
	v.eachField(got, offset, func(got []byte, f Field, at uint64) bool {
		want := buffer[:]
		if f.Size > uint64(len(buffer)) {
			want = make([]byte, f.Size)
		}
		want = want[:f.Size]
		f.writeValue(want, v.valueWord(at, fresh))
		used := f.usedBytes(at, v.ElementSize)
		got, want = got[:used], want[:used]
		if n := numDifferent(got, want); n > 0 && f.Kind != Gap {
			yield(got, want, at, n)
		}
		return true
	})
}

// firstBytes returns at most 8 bytes of a field, the first ones.
func firstBytes(b []byte) []byte { return b[:min(len(b), 8)] }

// eachField calls yield for each field in a range of the dataset, with its offset in the dataset, until yield returns
// false.
func (v FieldValues) eachField(b []byte, offset uint64, yield func(b []byte, f Field, at uint64) bool) {
	i := 0
	last := v.Fields[len(v.Fields)-1]
	for in := offset % v.ElementSize % (last.Offset + last.Size); v.Fields[i].Offset < in; {
		i++
	}
	for len(b) > 0 {
		f := v.Fields[i]
		if !yield(b[:f.Size], f, offset) {
			return
		}
		b, offset = b[f.Size:], offset+f.Size
		if i++; i == len(v.Fields) {
			i = 0
		}
	}
}

// writeValue writes the value of a field that a word determines. No number is zero, except for choices. Reals are from
// 1 to 2, so that they can be converted to another size and back.
func (f Field) writeValue(dst []byte, word uint64) {
	switch f.Kind {
	case Letters:
		for i := range dst {
			dst[i] = 'a' + byte((word>>(i%8*8))&0xff%26)
		}
		return
	case Terminator, Gap:
		clear(dst)
		return
	case Real:
		f.writeReal(dst, word)
	case Integer:
		f.writeInteger(dst, word)
	}
	if f.BigEndian {
		slices.Reverse(dst)
	}
}

// writeInteger writes a little-endian integer.
func (f Field) writeInteger(dst []byte, word uint64) {
	if n := uint64(len(f.Choices)); n > 0 {
		value := f.Choices[word%n]
		for i := range dst {
			dst[i] = byte(value >> (min(i, 7) * 8)) // no integer has more than 8 bytes
		}
		return
	}
	for i := range dst {
		dst[i] = byte(word >> (i % 8 * 8))
	}
	dst[0] |= 1
}

// writeReal writes a little-endian real. A real of 16 bytes has the extended precision of x86: 80 bits, followed by
// zeros.
func (f Field) writeReal(dst []byte, word uint64) {
	switch f.Size {
	case 2:
		binary.LittleEndian.PutUint16(dst, 15<<10|uint16(word>>54))
	case 4:
		binary.LittleEndian.PutUint32(dst, math.Float32bits(1)|uint32(word>>41))
	case 8:
		binary.LittleEndian.PutUint64(dst, math.Float64bits(1)|word>>12)
	default:
		clear(dst)
		binary.LittleEndian.PutUint64(dst, 1<<63|word)
		binary.LittleEndian.PutUint16(dst[8:], 1<<14-1)
	}
}
