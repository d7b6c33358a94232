package fill

import (
	"encoding/binary"
	"math"
)

// ValueKind says how the values of a dataset follow each other.
type ValueKind int

// The kinds of values. Random values are independent of each other. Smooth values are like those of a simulated field.
// Repeated values are out of a few, each many times in a row.
const (
	RandomValues ValueKind = iota
	SmoothValues
	RepeatedValues
)

// valueKindNames holds the names of the kinds, in their order.
var valueKindNames = []string{"random", "smooth", "repeats"}

// ValueKindNames returns the names of all kinds of values, in the order of their constants.
func ValueKindNames() []string { return valueKindNames }

// String returns "random", "smooth" or "repeats".
func (k ValueKind) String() string { return valueKindNames[k] }

// fillInKind writes smooth or repeated values of a field, one after another. The first one belongs at offset at of the
// dataset.
func (v *FieldValues) fillInKind(dst []byte, f *Field, at uint64) {
	switch {
	case v.Kind == RepeatedValues:
		for len(dst) > 0 {
			word := v.repeatedWord(at)
			for end := at - at%repeatedBytes + repeatedBytes; len(dst) > 0 && at < end; at += f.Size {
				f.writeValue(dst[:f.Size], word)
				dst = dst[f.Size:]
			}
		}
	case f.Kind == Letters: // texts are always random
		for ; len(dst) > 0; dst, at = dst[f.Size:], at+f.Size {
			f.writeValue(dst[:f.Size], v.valueWord(at, unitBytes))
		}
	default:
		v.fillSmooth(dst, f, newWaves(v.Seed, at/f.Size))
	}
}

// fillSmooth writes smooth values of a field. Little-endian numbers have loops of their own, which take less time.
func (v *FieldValues) fillSmooth(dst []byte, f *Field, w waves) {
	set, shift := uint64(1), 0
	if f.Kind == Real {
		set, shift = math.Float64bits(1), 52-heightBits
	}
	switch simple := !f.BigEndian && f.sharesWords(); {
	case simple && f.Size == 8:
		for ; len(dst) >= 8; dst = dst[8:] {
			binary.LittleEndian.PutUint64(dst, set|w.nextHeight()<<shift)
		}
	case simple && f.Size == 4:
		if f.Kind == Real {
			set, shift = uint64(math.Float32bits(1)), 23-heightBits
		}
		for ; len(dst) >= 4; dst = dst[4:] {
			binary.LittleEndian.PutUint32(dst, uint32(set|w.nextHeight()<<shift))
		}
	default:
		for ; len(dst) > 0; dst = dst[f.Size:] {
			f.writeValue(dst[:f.Size], f.smoothWord(w.nextHeight()))
		}
	}
}

// Values of RepeatedValues are equal in ranges of repeatedBytes bytes; each is one of numRepeated.
const (
	repeatedBytes = 256
	numRepeated   = 8
)

// repeatedWord returns the word from which the repeated value at offset at of the dataset is made.
func (v *FieldValues) repeatedWord(at uint64) uint64 {
	return mixBits(^v.Seed + mixBits(v.Seed+at/repeatedBytes)%numRepeated*goldenGamma)
}

// heightBits is the number of bits of the height of waves, and so of the significant bits of smooth values. They are
// about as many as 5 decimal digits.
const heightBits = 16

// noiseMask has the bits of the height that are noise.
const noiseMask = 3

// waves is the sum of a long, a middle and a short wave, and of noise, at one value after another. All computations are
// with integers, so that the values are the same on all processors.
type waves struct {
	long, middle, short             uint64 // where each wave is; a period is 2^64
	longStep, middleStep, shortStep uint64
	random                          uint64
}

// newWaves returns waves that begin at value i of a dataset. They have 2^17, 2^13 and 2^9 values in a period, or up to
// twice as many.
func newWaves(seed, i uint64) waves {
	w := waves{
		longStep: 1<<47 - mixBits(seed)>>18, middleStep: 1<<51 - mixBits(seed+1)>>14,
		shortStep: 1<<55 - mixBits(seed+2)>>10,
	}
	w.long, w.middle = mixBits(seed+3)+i*w.longStep, mixBits(seed+4)+i*w.middleStep
	w.short, w.random = mixBits(seed+5)+i*w.shortStep, mixBits(seed+6)+i*goldenGamma
	return w
}

// nextHeight returns the height at the next value; it is more than 0 and less than 2^heightBits.
func (w *waves) nextHeight() uint64 {
	sum := waveAt(w.long)/2 + waveAt(w.middle)/4 + waveAt(w.short)/8
	noise := (w.random ^ w.random>>29) * goldenGamma >> 32 & noiseMask
	w.long, w.middle, w.short = w.long+w.longStep, w.middle+w.middleStep, w.short+w.shortStep
	w.random += goldenGamma
	return uint64(sum+1<<60)>>(61-heightBits) + noise
}

// waveAt returns the height of a wave, from -2^60 to 2^60. It consists of two parabolas, which are like a sine.
func waveAt(phase uint64) int64 {
	x := int64(phase) >> 32
	return x * (1<<31 - max(x, -x))
}

// smoothWord returns the word from which writeValue makes a value in proportion to a height.
func (f *Field) smoothWord(height uint64) uint64 {
	switch {
	case f.Kind == Real && f.Size == 16: // has the highest bit set
		return height << (63 - heightBits)
	case f.Kind == Real:
		return height << (64 - heightBits)
	case len(f.Choices) > 0:
		return height * uint64(len(f.Choices)) >> heightBits
	}
	return height >> max(0, heightBits+1-8*int(f.Size)) // not negative
}
