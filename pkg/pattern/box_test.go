package pattern_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/pattern"
)

// boxFigures holds the figures of the design note of h5perf_serial. In the rows of seventh, bytes that the first seven
// writes have written are 1.
var boxFigures = []struct {
	name     string
	box      pattern.BoxPattern
	seventh  []string // rows of the dataset after seven writes
	first    []call   // calls of the first two boxes
	next     []call   // calls of the next box along the other dimension
	nextBox  uint64   // index of that box
	allCalls int
}{
	{
		name: "figure 1: -e 16,16 -x 2,4 -r 2,1",
		box:  pattern.BoxPattern{Dims: []uint64{16, 16}, Buffer: []uint64{2, 4}, Order: []int{1, 0}},
		seventh: slices.Concat(
			slices.Repeat([]string{"1111111111111111"}, 2),
			slices.Repeat([]string{"1111111111110000"}, 2),
			slices.Repeat([]string{"0000000000000000"}, 12)),
		first:    []call{{0, 4}, {16, 4}, {4, 4}, {20, 4}},
		next:     []call{{32, 4}, {48, 4}},
		nextBox:  4,
		allCalls: 64,
	},
	{
		name: "figure 2: -e 16,16 -x 4,2 -r 1,2",
		box:  pattern.BoxPattern{Dims: []uint64{16, 16}, Buffer: []uint64{4, 2}, Order: []int{0, 1}},
		seventh: slices.Concat(
			slices.Repeat([]string{"1111000000000000"}, 12),
			slices.Repeat([]string{"1100000000000000"}, 4)),
		first:    []call{{0, 2}, {16, 2}, {32, 2}, {48, 2}, {64, 2}, {80, 2}, {96, 2}, {112, 2}},
		next:     []call{{2, 2}, {18, 2}, {34, 2}, {50, 2}},
		nextBox:  4,
		allCalls: 128,
	},
}

func TestFiguresOfTheDesignNote(t *testing.T) {
	for _, f := range boxFigures {
		s := f.box.Sequence()
		n := s.LoopNest()
		written := []byte(strings.Repeat("0", 256))
		var calls []call
		for tr := range s.NumTransfers() {
			if tr == 7 {
				if got := string(written); got != strings.Join(f.seventh, "") {
					t.Errorf("%s: after seven writes\n%s", f.name, got)
				}
			}
			for _, c := range runs(n, tr) {
				calls = append(calls, c)
				copy(written[c.offset:], strings.Repeat("1", int(c.bytes)))
			}
		}
		if string(written) != strings.Repeat("1", 256) {
			t.Errorf("%s: the whole file is\n%s", f.name, written)
		}
		if len(calls) != f.allCalls || !slices.Equal(calls[:len(f.first)], f.first) ||
			!slices.Equal(runs(n, f.nextBox), f.next) {
			t.Errorf("%s: %d calls, first %v, box %d %v", f.name, len(calls), calls[:len(f.first)], f.nextBox,
				runs(n, f.nextBox))
		}
		if s.NumTransfers() != 32 || s.TransferBytes() != 8 || s.DatasetBytes() != 256 {
			t.Errorf("%s: %d transfers of %d bytes of %d", f.name, s.NumTransfers(), s.TransferBytes(),
				s.DatasetBytes())
		}
	}
}

// walk is an independent model of h5perf_serial. For each byte of a dataset, it computes the box of the byte and when
// that box is visited. It returns the bytes of each box, in the order of the visits and of the buffer.
func walk(b pattern.BoxPattern) [][]uint64 {
	total, boxes := uint64(1), uint64(1)
	for d := range b.Dims {
		total *= b.Dims[d]
		boxes *= b.Dims[d] / b.Buffer[d]
	}
	turns := make([][]uint64, boxes)
	for at := range total {
		index := make([]uint64, len(b.Dims)) // coordinates of the box, in boxes
		for d, rest := len(b.Dims)-1, at; d >= 0; d-- {
			index[d] = rest % b.Dims[d] / b.Buffer[d]
			rest /= b.Dims[d]
		}
		turn, weight := uint64(0), uint64(1)
		for _, d := range b.Order { // the first dimension varies fastest
			turn += index[d] * weight
			weight *= b.Dims[d] / b.Buffer[d]
		}
		turns[turn] = append(turns[turn], at)
	}
	return turns
}

// callsForOffsets returns the calls for the bytes at the given offsets. Consecutive bytes are one call.
func callsForOffsets(bytes []uint64) []call {
	var calls []call
	for _, at := range bytes {
		if n := len(calls); n > 0 && calls[n-1].offset+calls[n-1].bytes == at {
			calls[n-1].bytes++
			continue
		}
		calls = append(calls, call{at, 1})
	}
	return calls
}

// randomBox returns a random pattern of 1 to 5 dimensions.
func randomBox(r *rand.Rand) pattern.BoxPattern {
	b := pattern.BoxPattern{Order: r.Perm(1 + r.IntN(5))}
	for range b.Order {
		buffer, count := 1+r.Uint64N(3), 1+r.Uint64N(3)
		b.Buffer, b.Dims = append(b.Buffer, buffer), append(b.Dims, buffer*count)
	}
	return b
}

func TestBoxesAreThoseOfTheModel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	ranks := map[int]bool{}
	for range 500 {
		b := randomBox(r)
		ranks[len(b.Dims)] = true
		s := b.Sequence()
		n := s.LoopNest()
		model := walk(b)
		if s.NumTransfers() != uint64(len(model)) {
			t.Fatalf("%+v: %d transfers, want %d", b, s.NumTransfers(), len(model))
		}
		for tr, bytes := range model {
			if got, want := runs(n, uint64(tr)), callsForOffsets(bytes); !slices.Equal(got, want) {
				t.Fatalf("%+v, transfer %d: (offset, bytes) %v, want %v", b, tr, got, want)
			}
			if got := selection(s, s.TransferStart(uint64(tr))); !slices.Equal(got, bytes) {
				t.Fatalf("%+v, transfer %d selects %v, want %v", b, tr, got, bytes)
			}
		}
	}
	if len(ranks) != 5 {
		t.Errorf("only ranks %v", ranks)
	}
}

func TestABoxOfAsManyDimensionsAsThereCanBe(t *testing.T) {
	b := pattern.BoxPattern{
		Dims: slices.Repeat([]uint64{1}, pattern.MaxDims), Buffer: slices.Repeat([]uint64{1}, pattern.MaxDims),
	}
	for d := range pattern.MaxDims {
		b.Order = append(b.Order, d)
	}
	b.Dims[0], b.Dims[31] = 4, 6
	b.Buffer[31] = 3
	n := b.Sequence().LoopNest()
	// the first dimension varies fastest: 0, 6, 12, 18, then 3, 9
	if got := runs(n, 5); !slices.Equal(got, []call{{9, 3}}) {
		t.Errorf("the sixth box is %v", got)
	}
}
