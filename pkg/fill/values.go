package fill

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
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
	Group                // several fields
)

// Field is a number, a string or other bytes at a fixed place in an element, or several alike, one after another.
type Field struct {
	Kind         FieldKind
	Offset, Size uint64 // in bytes; Offset counts from the start of the element or group; Size is that of one value
	// Number of values, one after another; 0: one.
	Count     uint64
	BigEndian bool    // for Integer and Real
	Choices   []int64 // for Integer: the valid values; nil: all
	Fields    []Field // for Group: those of one value, in the order of their offsets, without gaps
	// The values are a sequence of any length, and Count is the mean length. Fill writes so many. Check compares as
	// many as SequenceLength says, but at most the mean number. For Letters, the values are the characters.
	Variable bool
}

// values returns the number of values.
func (f *Field) values() uint64 { return max(1, f.Count) }

// end returns the offset of the first byte after the field.
func (f *Field) end() uint64 { return f.Offset + f.values()*f.Size }

// SequenceLength returns the number of items of a sequence in an element of a dataset, whose number counts from 0. It
// is from 1 to 2 * mean - 1. An element with an even number and the next one have together twice the mean. Which of
// them is longer differs from pair to pair, so that elements with a stride have about the mean, too.
func SequenceLength(element, mean uint64) uint64 {
	word := mixBits(element / 2)
	more := (word >> 1) % mean
	if (element^word)&1 == 0 {
		return mean + more
	}
	return mean - more
}

// FieldValues describes data that can be computed from a seed and the offset in the dataset: each field of each element
// has its own value. They replace stamps in datasets with types for which a stamp would not be a valid value.
type FieldValues struct {
	Seed        uint64  // depends on the run, the iteration and the dataset
	ElementSize uint64  // size of an element in bytes
	Fields      []Field // fields of an element, in the order of their offsets, without gaps
	// Ratio is the size before compression divided by the size after it, as for Compressible; 0: each field has its own
	// value. With a ratio, only the fields in one range of each unit have their own values, and all others have the
	// same value, so that a compressor makes the data smaller. The range is at another place in each unit, so that the
	// blocks of a dataset have about the same ratio.
	Ratio float64
	Kind  ValueKind // other than RandomValues: Ratio has no effect
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
	random := 0.0
	for i := range v.Fields {
		random += v.Fields[i].randomBits()
	}
	if random == 0 {
		return unitBytes
	}
	return min(unitBytes, uint64(float64(data.randomBytes)*float64(8*v.ElementSize)/random+0.5))
}

// randomBits returns the number of random bits of all values of a field.
func (f *Field) randomBits() float64 {
	random := 0.0
	switch {
	case f.Kind == Group:
		for i := range f.Fields {
			random += f.Fields[i].randomBits()
		}
	case f.Kind == Integer && len(f.Choices) > 0:
		random = math.Log2(float64(len(f.Choices)))
	case f.Kind == Integer:
		random = float64(8*min(f.Size, 8)) - 1
	case f.Kind == Letters:
		random = float64(min(f.Size, 8)) * math.Log2(26)
	case f.Kind == Real:
		random = map[uint64]float64{2: 10, 4: 23, 8: 52}[f.Size] + float64(f.Size/16*63)
	}
	return random * float64(f.values())
}

// valueWord returns the random word from which the value at offset at of the dataset is made. fresh is the result of
// uniqueBytes.
func (v *FieldValues) valueWord(at, fresh uint64) uint64 {
	if fresh < unitBytes && (at+mixBits(v.Seed+at/unitBytes))%unitBytes >= fresh {
		return mixBits(^v.Seed)
	}
	return mixBits(v.Seed + at*goldenGamma)
}

// goldenGamma is the step between the words of a sequence of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
const goldenGamma = 0x9e3779b97f4a7c15

// Fill writes to dst the bytes that belong at an offset of the dataset. Both the offset and the end of dst must be at
// the start of a field.
func (v FieldValues) Fill(dst []byte, offset uint64) {
	fresh := v.uniqueBytes()
	v.eachRun(dst, offset, func(dst []byte, f *Field, at, _ uint64) { v.fillRun(dst, f, at, fresh) })
}

// fillRun writes values of a field, one after another. The first one belongs at offset at of the dataset.
func (v *FieldValues) fillRun(dst []byte, f *Field, at, fresh uint64) {
	if v.Kind != RandomValues {
		v.fillInKind(dst, f, at)
		return
	}
	if f.sharesWords() && at%f.Size == 0 {
		v.fillWords(dst, f, at, fresh)
		return
	}
	for ; len(dst) > 0; dst, at = dst[f.Size:], at+f.Size {
		f.writeValue(dst[:f.Size], v.valueWord(at, fresh))
	}
}

// sharesWords reports whether aligned values of the field in the same 8 bytes of the dataset are made from one word,
// which takes less time than a word for each.
func (f *Field) sharesWords() bool {
	switch f.Size {
	case 1, 2, 4, 8:
		return f.Kind == Integer && len(f.Choices) == 0 || f.Kind == Real && f.Size > 1
	}
	return false
}

// packedNumbers says how the numbers in 8 bytes are made from a random word: its bits are moved down by shift, and only
// those in random are kept. Those in set are 1.
type packedNumbers struct{ shift, random, set uint64 }

// packed returns how the numbers of a field that shares words are made. Integers are odd, so that none is zero. Reals
// are from 1 to 2, so that they can be converted to another size and back.
func (f *Field) packed() packedNumbers {
	each := ^uint64(0) / (1<<(8*f.Size-1)<<1 - 1) // the lowest bit of each number
	mantissa := map[uint64]uint64{2: 10, 4: 23, 8: 52}[f.Size]
	if f.Kind == Integer {
		return packedNumbers{0, ^uint64(0), each}
	}
	one := map[uint64]uint64{2: 15 << 10, 4: uint64(math.Float32bits(1)), 8: math.Float64bits(1)}[f.Size]
	return packedNumbers{8*f.Size - mantissa, each * (1<<mantissa - 1), each * one}
}

func (p packedNumbers) numbersOf(word uint64) uint64 { return word>>p.shift&p.random | p.set }

// fillWords writes aligned numbers that share words: each is the part of the word at its place.
func (v *FieldValues) fillWords(dst []byte, f *Field, at, fresh uint64) {
	p := f.packed()
	for len(dst) > 0 {
		within := at % 8
		if within == 0 && len(dst) >= 8 && !f.BigEndian {
			n := uint64(len(dst)) / 8 * 8
			if fresh < unitBytes {
				n = min(n, unitBytes-at%unitBytes)
				v.fillUnit(dst[:n], at, fresh, p)
			} else {
				fillDifferentWords(dst[:n], v.Seed+at*goldenGamma, p)
			}
			dst, at = dst[n:], at+n
			continue
		}
		word := p.numbersOf(v.valueWord(at-within, fresh))
		if f.BigEndian {
			word = reverseNumbers(word, f.Size)
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], word)
		n := copy(dst, b[within:])
		dst, at = dst[n:], at+uint64(n)
	}
}

// fillUnit writes words of one unit as valueWord makes them if fresh is less than a unit.
func (v *FieldValues) fillUnit(dst []byte, at, fresh uint64, p packedNumbers) {
	equal := p.numbersOf(mixBits(^v.Seed))
	for place := at + mixBits(v.Seed+at/unitBytes); len(dst) >= 8; dst, at, place = dst[8:], at+8, place+8 {
		word := equal
		if place%unitBytes < fresh {
			word = p.numbersOf(mixBits(v.Seed + at*goldenGamma))
		}
		binary.LittleEndian.PutUint64(dst, word)
	}
}

// fillDifferentWords writes words as valueWord makes them if all are different. The first one is made from z.
func fillDifferentWords(dst []byte, z uint64, p packedNumbers) {
	const step = 8 * goldenGamma & math.MaxUint64
	for ; len(dst) >= 8; dst, z = dst[8:], z+step {
		binary.LittleEndian.PutUint64(dst, p.numbersOf(mixBits(z)))
	}
}

// reverseNumbers returns a word in which the bytes of each number of the given size are in the opposite order.
func reverseNumbers(word, size uint64) uint64 {
	switch size {
	case 2:
		return word>>8&0x00ff00ff00ff00ff | word<<8&0xff00ff00ff00ff00
	case 4:
		return bits.RotateLeft64(bits.ReverseBytes64(word), 32)
	case 8:
		return bits.ReverseBytes64(word)
	}
	return word
}

// Check compares the bytes got, which were read at an offset of the dataset, with the bytes that Fill writes there. It
// returns the number of bytes that differ, and descriptions of the first fields that differ, at most limit of them.
// Both the offset and the end of got must be at the start of a field.
func (v FieldValues) Check(got []byte, offset uint64, limit int) (wrong uint64, found []string) {
	v.eachDifference(got, offset, func(got, want []byte, at, n uint64) {
		wrong += n
		if len(found) < limit {
			first := 0
			for got[first] == want[first] {
				first++
			}
			at += uint64(first)
			found = append(found,
				fmt.Sprintf("element %d, byte %d: % x instead of % x", at/v.ElementSize, at%v.ElementSize,
					firstBytes(got[first:]), firstBytes(want[first:])))
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

// eachDifference calls yield for each value that differs, with the bytes that were read and expected, the offset of the
// value in the dataset, and the number of bytes that differ.
func (v FieldValues) eachDifference(got []byte, offset uint64, yield func(got, want []byte, at, n uint64)) {
	var buffer [4096]byte
	fresh := v.uniqueBytes()
	v.eachRun(got, offset, func(got []byte, f *Field, at, used uint64) {
		if f.Kind == Gap {
			return
		}
		part := buffer[:]
		if f.Size > uint64(len(part)) {
			part = make([]byte, f.Size)
		}
		part = part[:uint64(len(part))/f.Size*f.Size]
		for used > 0 {
			want := part[:min(len(part), len(got))]
			v.fillRun(want, f, at, fresh)
			n := min(used, uint64(len(want)))
			if !bytes.Equal(got[:n], want[:n]) {
				eachDifferentValue(got[:n], want[:n], f.Size, at, yield)
			}
			got, at, used = got[n:], at+n, used-n
		}
	})
}

// eachDifferentValue calls yield for each value of the given size that differs, as eachDifference does.
func eachDifferentValue(got, want []byte, size, at uint64, yield func(got, want []byte, at, n uint64)) {
	for ; len(got) > 0; at += size {
		size = min(size, uint64(len(got)))
		if n := numDifferent(got[:size], want[:size]); n > 0 {
			yield(got[:size], want[:size], at, n)
		}
		got, want = got[size:], want[size:]
	}
}

// firstBytes returns at most 8 bytes, the first ones.
func firstBytes(b []byte) []byte { return b[:min(len(b), 8)] }

// eachRun calls yield for each run of values of a field in a range of the dataset, with their offset in the dataset,
// and how many of their bytes belong to the dataset: those beyond the length of a sequence do not.
func (v *FieldValues) eachRun(b []byte, offset uint64, yield func(b []byte, f *Field, at, used uint64)) {
	w := fieldWalk{v.ElementSize, yield}
	if f := v.Fields[0]; len(v.Fields) == 1 && f.Kind != Group && !f.Variable { // all elements are alike: one run
		yield(b, &f, offset, uint64(len(b)))
		return
	}
	for len(b) > 0 {
		b, offset = w.walk(v.Fields, b, offset, offset%v.ElementSize, true)
	}
}

// fieldWalk visits the values of elements of a size in bytes.
type fieldWalk struct {
	elementSize uint64
	yield       func(b []byte, f *Field, at, used uint64)
}

// walk visits the values of fields from byte `from` of their element or group on, until b or the fields end. b begins
// at byte at of the dataset. used reports whether the values belong to the dataset. walk returns the rest of b and the
// offset of that.
func (w *fieldWalk) walk(fields []Field, b []byte, at, from uint64, used bool) (rest []byte, next uint64) {
	i := sort.Search(len(fields), func(i int) bool { return fields[i].end() > from })
	for ; i < len(fields) && len(b) > 0; i++ {
		f := &fields[i]
		start := max(from, f.Offset) - f.Offset
		first, within := start/f.Size, start%f.Size
		length := w.length(f, at, used)
		if f.Kind != Group {
			n := min(f.values()*f.Size-start, uint64(len(b)))
			w.yield(b[:n], f, at, min(n, max(length, start)-start))
			b, at = b[n:], at+n
			continue
		}
		for k := first; k < f.values() && len(b) > 0; k++ {
			b, at = w.walk(f.Fields, b, at, within, k*f.Size < length)
			within = 0
		}
	}
	return b, at
}

// length returns how many bytes of a field belong to the dataset. The element is the one at offset at of the dataset.
// used reports whether any bytes do.
func (w *fieldWalk) length(f *Field, at uint64, used bool) uint64 {
	switch {
	case !used:
		return 0
	case f.Variable && f.Kind == Letters:
		return SequenceLength(at/w.elementSize, f.Size)
	case f.Variable:
		return SequenceLength(at/w.elementSize, f.values()) * f.Size
	}
	return f.values() * f.Size
}

// writeValue writes the value of a field that a word determines. No number is zero, except for choices. Reals are from
// 1 to 2, so that they can be converted to another size and back.
func (f *Field) writeValue(dst []byte, word uint64) {
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
func (f *Field) writeInteger(dst []byte, word uint64) {
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
func (f *Field) writeReal(dst []byte, word uint64) {
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
