package fill_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"h5perf/pkg/fill"
)

// fieldsByName holds the fields of some elements.
var fieldsByName = map[string][]fill.Field{
	"u8":          {{Size: 1}},
	"i16":         {{Size: 2, BigEndian: true}},
	"i32":         {{Size: 4}},
	"i64":         {{Size: 8}},
	"words":       {{Size: 2, Choices: []int64{1, 5, 9}}},
	"f32":         {{Kind: fill.Real, Size: 4}},
	"f64":         {{Kind: fill.Real, Size: 8}},
	"f80":         {{Kind: fill.Real, Size: 16}},
	"array":       {{Kind: fill.Real, Size: 4, Count: 3}},
	"i32 and f64": {{Size: 4}, {Kind: fill.Real, Offset: 4, Size: 8}},
	"text":        {{Kind: fill.Letters, Size: 5}, {Kind: fill.Terminator, Offset: 5, Size: 1}},
}

// valuesOf returns values of a kind for some fields.
func valuesOf(fields []fill.Field, kind fill.ValueKind) fill.FieldValues {
	last := fields[len(fields)-1]
	return fill.FieldValues{
		Seed: 7, ElementSize: last.Offset + last.Size*max(1, last.Count), Fields: fields, Kind: kind,
	}
}

// The values of a part are those of the whole, whatever was filled before, and no number is 0.
func TestPartsHaveTheValuesOfTheWholeInEachKind(t *testing.T) {
	for name, fields := range fieldsByName {
		for _, kind := range []fill.ValueKind{fill.RandomValues, fill.SmoothValues, fill.RepeatedValues} {
			v := valuesOf(fields, kind)
			start := 1001 * v.ElementSize
			whole := make([]byte, 5000*v.ElementSize)
			v.Fill(whole, start)
			for _, count := range []uint64{1, 3, 100, 1999} {
				for at := uint64(0); at < uint64(len(whole)); at += count * v.ElementSize {
					part := make([]byte, min(count*v.ElementSize, uint64(len(whole))-at))
					if v.Fill(part, start+at); !bytes.Equal(part, whole[at:][:len(part)]) {
						t.Fatalf("%s, %v: %d elements from byte %d are not those of the whole", name, kind, count, at)
					}
				}
			}
			if wrong, found := v.Check(whole, start, 1); wrong != 0 {
				t.Errorf("%s, %v: %d bytes of what was filled are wrong: %v", name, kind, wrong, found)
			}
			zeros := make([]byte, len(whole))
			if wrong, _ := v.Check(zeros, start, 1); wrong < 5000 || wrong != v.ZeroedBytes(zeros, start) {
				t.Errorf("%s, %v: of zeros %d bytes are wrong", name, kind, wrong)
			}
			whole[len(whole)/2] ^= 2
			if wrong, _ := v.Check(whole, start, 1); wrong != 1 && name != "text" {
				t.Errorf("%s, %v: after a change, %d bytes are wrong", name, kind, wrong)
			}
			v.Seed++
			if wrong, _ := v.Check(whole, start, 1); wrong < uint64(len(whole))/20 {
				t.Errorf("%s, %v: with another seed, only %d bytes are others", name, kind, wrong)
			}
		}
	}
}

func TestSmoothValuesCompressBetterThanRandomOnesAndRepeatedOnesBest(t *testing.T) {
	for name, fields := range fieldsByName {
		if name == "text" || name == "words" { // texts are random in each kind but one; words have few bits
			continue
		}
		size := map[fill.ValueKind]int{}
		for _, kind := range []fill.ValueKind{fill.RandomValues, fill.SmoothValues, fill.RepeatedValues} {
			v := valuesOf(fields, kind)
			b := make([]byte, 1<<20/v.ElementSize*v.ElementSize)
			v.Fill(b, 0)
			size[kind] = deflated(t, b)
		}
		if size[fill.RandomValues] <= size[fill.SmoothValues]*6/5 ||
			size[fill.SmoothValues] <= size[fill.RepeatedValues]*2 {
			t.Errorf("%s: 1 MiB becomes %v", name, size)
		}
	}
}

// Neighbours differ little, and values are all over their range.
func TestSmoothValues(t *testing.T) {
	v := valuesOf([]fill.Field{{Kind: fill.Real, Size: 8}}, fill.SmoothValues)
	b := make([]byte, 8<<18)
	v.Fill(b, 0)
	low, high, step, last := math.Inf(1), math.Inf(-1), 0.0, math.NaN()
	for at := 0; at < len(b); at += 8 {
		x := math.Float64frombits(binary.LittleEndian.Uint64(b[at:]))
		if !math.IsNaN(last) {
			step = max(step, math.Abs(x-last))
		}
		low, high, last = min(low, x), max(high, x), x
	}
	if !(low >= 1 && low < 1.3 && high > 1.7 && high < 2 && step < 0.01) {
		t.Errorf("values from %v to %v, with steps up to %v", low, high, step)
	}
}

func TestNamesOfKinds(t *testing.T) {
	for i, name := range fill.ValueKindNames() {
		if got := fmt.Sprint(fill.ValueKind(i)); got != name {
			t.Errorf("%d: %s, want %s", i, got, name)
		}
	}
}
