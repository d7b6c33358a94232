package fill_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"math"
	"testing"

	"h5perf/pkg/fill"
)

// particle has elements with reals of 8 and 4 bytes, an integer and a string.
var particle = fill.FieldValues{Seed: 5, ElementSize: 20, Fields: []fill.Field{
	{Kind: fill.Real, Offset: 0, Size: 8},
	{Kind: fill.Real, Offset: 8, Size: 4},
	{Kind: fill.Integer, Offset: 12, Size: 2},
	{Kind: fill.Letters, Offset: 14, Size: 6},
}}

func TestValuesOfAnyPartAreThoseOfTheWhole(t *testing.T) {
	whole := make([]byte, 50*particle.ElementSize)
	particle.Fill(whole, 0)
	for element := range uint64(49) {
		for _, f := range particle.Fields {
			at := element*particle.ElementSize + f.Offset
			part := make([]byte, particle.ElementSize) // ends in the next element
			particle.Fill(part, at)
			if !bytes.Equal(part, whole[at:at+particle.ElementSize]) {
				t.Fatalf("from byte %d: % x, want % x", at, part, whole[at:at+particle.ElementSize])
			}
		}
	}
}

func TestValuesAreOfTheirKindAndDiffer(t *testing.T) {
	seen := map[float64]bool{}
	for element := range uint64(1000) {
		b := make([]byte, particle.ElementSize)
		particle.Fill(b, element*particle.ElementSize)
		double := math.Float64frombits(binary.LittleEndian.Uint64(b))
		single := float64(math.Float32frombits(binary.LittleEndian.Uint32(b[8:])))
		for _, x := range []float64{double, single} {
			if !(x >= 1 && x < 2) {
				t.Fatalf("element %d: %v", element, x)
			}
		}
		if seen[double] {
			t.Fatalf("element %d has a value of another one", element)
		}
		seen[double] = true
		if binary.LittleEndian.Uint16(b[12:]) == 0 {
			t.Errorf("element %d: an integer is zero", element)
		}
		for _, c := range b[14:] {
			if c < 'a' || c > 'z' {
				t.Errorf("element %d: text %q", element, b[14:])
			}
		}
	}
	other := particle
	other.Seed++
	a, b := make([]byte, 20), make([]byte, 20)
	particle.Fill(a, 0)
	other.Fill(b, 0)
	if bytes.Equal(a, b) {
		t.Error("two datasets have the same values")
	}
}

func TestEveryWrongByteOfValuesIsCounted(t *testing.T) {
	b := make([]byte, 10*particle.ElementSize)
	particle.Fill(b, 3*particle.ElementSize)
	if wrong, found := particle.Check(b, 3*particle.ElementSize, 3); wrong != 0 || found != nil {
		t.Fatalf("%d wrong in what was filled: %v", wrong, found)
	}
	for i := range b {
		b[i] ^= 4
		wrong, found := particle.Check(b, 3*particle.ElementSize, 3)
		if wrong != 1 || len(found) != 1 {
			t.Errorf("byte %d changed: %d wrong, %v", i, wrong, found)
		}
		b[i] ^= 4
	}
	// an element at the place of the previous one
	copy(b, b[particle.ElementSize:2*particle.ElementSize])
	if wrong, found := particle.Check(b, 3*particle.ElementSize, 3); wrong < 10 || len(found) != 3 {
		t.Errorf("another element: %d wrong, %v", wrong, found)
	}
}

func TestValuesOfUncommonFields(t *testing.T) {
	v := fill.FieldValues{Seed: 3, ElementSize: 38, Fields: []fill.Field{
		{Kind: fill.Real, Offset: 0, Size: 8, BigEndian: true},
		{Kind: fill.Real, Offset: 8, Size: 2},
		{Kind: fill.Integer, Offset: 10, Size: 2, BigEndian: true, Choices: []int64{-2, 258}},
		{Kind: fill.Gap, Offset: 12, Size: 5},
		{Kind: fill.Letters, Offset: 17, Size: 4},
		{Kind: fill.Terminator, Offset: 21, Size: 1},
		{Kind: fill.Real, Offset: 22, Size: 16},
	}}
	words := map[int16]bool{}
	for i := range uint64(100) {
		b := make([]byte, v.ElementSize)
		v.Fill(b, i*v.ElementSize)
		if x := math.Float64frombits(binary.BigEndian.Uint64(b)); !(x >= 1 && x < 2) {
			t.Errorf("a big-endian real is %v", x)
		}
		if half := binary.LittleEndian.Uint16(b[8:]); half>>10 != 15 { // sign and exponent of 1
			t.Errorf("a real of 2 bytes is %#x", half)
		}
		words[int16(binary.BigEndian.Uint16(b[10:]))] = true
		if b[21] != 0 || bytes.IndexByte(b[17:21], 0) >= 0 {
			t.Errorf("a text is % x", b[17:22])
		}
		if binary.LittleEndian.Uint64(b[30:]) != 1<<14-1 || b[29]>>7 != 1 { // exponent of 1, and highest bit set
			t.Errorf("a real of 16 bytes is % x", b[22:])
		}
		for at := range b {
			b[at] ^= 8
			wrong, _ := v.Check(b, i*v.ElementSize, 1)
			want := uint64(1)
			if at >= 12 && at < 17 {
				want = 0
			}
			if wrong != want {
				t.Errorf("byte %d changed: %d wrong, want %d", at, wrong, want)
			}
			b[at] ^= 8
		}
	}
	if len(words) != 2 || !words[-2] || !words[258] {
		t.Errorf("words of an enumeration: %v", words)
	}
}

func TestFieldsThatWereNotWrittenAreCounted(t *testing.T) {
	b := make([]byte, 3*particle.ElementSize)
	particle.Fill(b, 0)
	if n := particle.ZeroedBytes(b, 0); n != 0 {
		t.Errorf("%d bytes are 0 in what was filled", n)
	}
	clear(b[particle.ElementSize:])
	wrong, _ := particle.Check(b, 0, 1)
	if n := particle.ZeroedBytes(b, 0); n != wrong || n < particle.ElementSize {
		t.Errorf("%d of %d bytes are 0", n, wrong)
	}
	b[len(b)-1] = 1
	last := particle.Fields[len(particle.Fields)-1].Size
	if n := particle.ZeroedBytes(b, 0); n >= wrong || n < wrong-last {
		t.Errorf("%d of %d bytes are 0, although a field of %d is not", n, wrong, last)
	}
}

// shuffled orders the bytes of elements like the shuffle filter of HDF5: all first bytes, then all second bytes, and so
// on.
func shuffled(b []byte, size int) []byte {
	all := make([]byte, 0, len(b))
	for i := range size {
		for at := i; at < len(b); at += size {
			all = append(all, b[at])
		}
	}
	return all
}

// deflated returns the size of b after compression, in bytes.
func deflated(t *testing.T, b []byte) int {
	t.Helper()
	var to bytes.Buffer
	w, err := flate.NewWriter(&to, 4)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return to.Len()
}

func TestValuesCompressByTheirRatio(t *testing.T) {
	for name, fields := range map[string][]fill.Field{
		"u8":          {{Size: 1}},
		"i32":         {{Size: 4}},
		"i64":         {{Size: 8}},
		"f32":         {{Kind: fill.Real, Size: 4}},
		"f64":         {{Kind: fill.Real, Size: 8}},
		"f80":         {{Kind: fill.Real, Size: 16}},
		"u32 and f64": {{Size: 4}, {Kind: fill.Real, Offset: 4, Size: 8}},
	} {
		for _, ratio := range []float64{2.5, 4.7, 12} {
			last := fields[len(fields)-1]
			v := fill.FieldValues{Seed: 7, ElementSize: last.Offset + last.Size, Fields: fields, Ratio: ratio}
			chunk := make([]byte, 1<<20)
			v.Fill(chunk, 3<<20)
			for how, b := range map[string][]byte{"plain": chunk, "shuffled": shuffled(chunk, int(v.ElementSize))} {
				got := float64(len(b)) / float64(deflated(t, b))
				if got < ratio/1.3 || got > ratio*1.3 {
					t.Errorf("%s, %s: a ratio of %.3g instead of %g", name, how, got, ratio)
				}
			}
			if wrong, _ := v.Check(chunk, 3<<20, 1); wrong != 0 {
				t.Errorf("%s: %d bytes of what was filled are wrong", name, wrong)
			}
			other := make([]byte, 4*v.ElementSize) // a part must have the same bytes as the whole
			at := 1000 * v.ElementSize
			if v.Fill(other, 3<<20+at); !bytes.Equal(other, chunk[at:at+4*v.ElementSize]) {
				t.Errorf("%s: a part is not that of the whole", name)
			}
		}
	}
}

// Blocks of columns belong to different processes. Each block must compress about as well as the others.
func TestBlocksOfColumnsCompressAlike(t *testing.T) {
	v := fill.FieldValues{Seed: 7, ElementSize: 8, Fields: []fill.Field{{Kind: fill.Real, Size: 8}}, Ratio: 4}
	const row, part = 4096, 1024
	for column := 0; column < row; column += part {
		var block []byte
		for i := range 512 {
			b := make([]byte, part)
			v.Fill(b, uint64(i*row+column))
			block = append(block, b...)
		}
		if got := float64(len(block)) / float64(deflated(t, block)); got < 3 || got > 5 {
			t.Errorf("the block at byte %d of each row has a ratio of %.3g instead of 4", column, got)
		}
	}
}

// The lengths vary, and each pair of elements has the mean length. Elements with a stride have about the mean: a rank
// that writes a column must not have longer values than its neighbour.
func TestLengthsOfSequences(t *testing.T) {
	const mean, elements = 9, 24_000
	seen := map[uint64]bool{}
	for i := uint64(0); i < elements; i += 2 {
		a, b := fill.SequenceLength(i, mean), fill.SequenceLength(i+1, mean)
		if a+b != 2*mean {
			t.Errorf("elements %d and %d have %d and %d items", i, i+1, a, b)
		}
		seen[a], seen[b] = true, true
	}
	if len(seen) != 2*mean-1 || seen[0] {
		t.Errorf("lengths %v, want all from 1 to %d", seen, 2*mean-1)
	}
	for stride := uint64(2); stride <= 64; stride++ {
		for start := range stride {
			sum, number := uint64(0), uint64(0)
			for i := start; i < elements; i += stride {
				sum += fill.SequenceLength(i, mean)
				number++
			}
			// the standard deviation of a length is at most (mean - 1) / sqrt 3
			got, sd := float64(sum)/float64(number), (mean-1)/math.Sqrt(3*float64(number))
			if math.Abs(got-mean) > 5*sd {
				t.Errorf("stride %d from %d: a mean of %.3f items, want %d ± %.3f", stride, start, got, mean, 5*sd)
			}
		}
	}
	if got := fill.SequenceLength(5, 1); got != 1 {
		t.Errorf("with the mean 1, an element has %d items", got)
	}
}

// Only the items that a sequence has are compared.
func TestSequencesAreComparedUpToTheirLength(t *testing.T) {
	const mean, elements = 4, 20
	v := fill.FieldValues{Seed: 7, ElementSize: 2 * mean, Fields: []fill.Field{
		{Size: 2, Count: mean, Variable: true},
	}}
	data := make([]byte, elements*2*mean)
	v.Fill(data, 0)
	for i := range elements {
		for item := range mean {
			changed := bytes.Clone(data)
			changed[i*2*mean+2*item] ^= 2
			wrong, _ := v.Check(changed, 0, 1)
			has := uint64(item) < fill.SequenceLength(uint64(i), mean)
			if has && wrong != 1 || !has && wrong != 0 {
				t.Errorf("item %d of element %d, which has it: %v: %d bytes are wrong", item, i, has, wrong)
			}
		}
	}
	if wrong, _ := v.Check(data[6:20], 6, 1); wrong != 0 {
		t.Errorf("a part that begins within an element: %d bytes are wrong", wrong)
	}
}

// A group or a count stands for its fields one by one: the data are the same, also of a part.
func TestGroupsAreTheirFields(t *testing.T) {
	inner := []fill.Field{
		{Kind: fill.Real, Size: 4},
		{Offset: 4, Size: 2, Count: 3},
		{Kind: fill.Gap, Offset: 10, Size: 1},
		{Offset: 11, Size: 1},
	}
	nested := fill.FieldValues{Seed: 3, ElementSize: 44, Fields: []fill.Field{
		{Kind: fill.Letters, Size: 5},
		{Kind: fill.Group, Offset: 5, Size: 12, Count: 3, Fields: inner},
		{Kind: fill.Terminator, Offset: 41, Size: 1, Count: 3},
	}}
	flat := nested
	flat.Fields = []fill.Field{{Kind: fill.Letters, Size: 5}}
	for at := uint64(5); at < 41; at += 12 {
		flat.Fields = append(flat.Fields, fill.Field{Kind: fill.Real, Offset: at, Size: 4})
		for k := range uint64(3) {
			flat.Fields = append(flat.Fields, fill.Field{Offset: at + 4 + 2*k, Size: 2})
		}
		flat.Fields = append(flat.Fields, fill.Field{Kind: fill.Gap, Offset: at + 10, Size: 1},
			fill.Field{Offset: at + 11, Size: 1})
	}
	for k := range uint64(3) {
		flat.Fields = append(flat.Fields, fill.Field{Kind: fill.Terminator, Offset: 41 + k, Size: 1})
	}
	for _, nested.Ratio = range []float64{0, 3} {
		flat.Ratio = nested.Ratio
		want := make([]byte, 20*44)
		flat.Fill(want, 0)
		for _, f := range flat.Fields {
			got := make([]byte, len(want)-int(f.Offset))
			nested.Fill(got, f.Offset)
			if !bytes.Equal(got, want[f.Offset:]) {
				t.Errorf("ratio %v: data from byte %d on differ", flat.Ratio, f.Offset)
			}
		}
		if wrong, found := nested.Check(want, 0, 3); wrong != 0 {
			t.Errorf("ratio %v: %d wrong bytes: %v", flat.Ratio, wrong, found)
		}
	}
}

// BenchmarkFieldValues shows how fast values are made and checked.
func BenchmarkFieldValues(b *testing.B) {
	memory := make([]byte, 256<<10)
	for name, f := range map[string]fill.Field{
		"doubles": {Kind: fill.Real, Size: 8}, "floats": {Kind: fill.Real, Size: 4},
		"integers": {Kind: fill.Integer, Size: 4}, "large integers": {Kind: fill.Integer, Size: 8},
	} {
		for name, v := range map[string]fill.FieldValues{
			name: {}, name + ", ratio 4": {Ratio: 4}, name + ", smooth": {Kind: fill.SmoothValues},
			name + ", repeats": {Kind: fill.RepeatedValues},
		} {
			v.Seed, v.ElementSize, v.Fields = 7, f.Size, []fill.Field{f}
			b.Run(name, func(b *testing.B) {
				b.SetBytes(int64(len(memory)))
				for range b.N {
					v.Fill(memory, 0)
				}
			})
		}
	}
}
