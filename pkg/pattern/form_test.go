package pattern_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/pattern"
)

// drawForm returns a random form. A selection that has no shape may get ghost cells, which it cannot have.
func drawForm(n *numbers, s pattern.Selection) pattern.MemoryArrangement {
	switch n.below(4) {
	case 1:
		return pattern.MemoryArrangement{
			Kind: pattern.Ghost, GhostCells: n.below(4),
			GhostDims: int(n.below(uint64(len(s.Dims()) + 1))),
		}
	case 2:
		offset := n.below(4)
		return pattern.MemoryArrangement{
			Kind: pattern.Member, MemberOffset: offset,
			StructBytes: offset + s.ElementBytes() + n.below(4),
		}
	case 3:
		return pattern.MemoryArrangement{Kind: pattern.Strided, StrideElements: 1 + n.below(3)}
	}
	return pattern.MemoryArrangement{}
}

// inMemory returns the offset in memory of each element of a selection, and the size of the memory. It is a model that
// walks through the memory with all its gaps.
func inMemory(s drawn, f pattern.MemoryArrangement) (at []uint64, size uint64) {
	element, n := s.ElementBytes(), uint64(len(s.elements))
	switch f.Kind {
	case pattern.Member:
		for k := range n {
			at = append(at, k*f.StructBytes+f.MemberOffset)
		}
		return at, n * f.StructBytes
	case pattern.Strided:
		for k := range n {
			at = append(at, k*f.StrideElements*element)
		}
		return at, n * f.StrideElements * element
	case pattern.Ghost:
		shape, ok := s.BufferShape()
		if !ok {
			return nil, 0
		}
		start, outer := make([]uint64, len(shape)), slices.Clone(shape)
		for d := range shape {
			if f.GhostDims == 0 || d >= len(shape)-f.GhostDims {
				start[d] = f.GhostCells
				outer[d] += 2 * f.GhostCells
			}
		}
		for i := range extent(outer) {
			if inBox(elementCoordinates(outer, i), start, shape) {
				at = append(at, i*element)
			}
		}
		return at, extent(outer) * element
	}
	for k := range n {
		at = append(at, k*element)
	}
	return at, n * element
}

// checkPieces compares the pieces of a selection with the model, element by element.
func checkPieces(t *testing.T, s drawn, f pattern.MemoryArrangement) {
	t.Helper()
	size, sizeErr := f.MemoryBytes(s.Selection)
	got, err := pattern.ContiguousPieces(s.Selection, f)
	if _, ok := s.BufferShape(); f.Kind == pattern.Ghost && !ok && len(s.elements) > 0 {
		if err == nil || sizeErr == nil || !strings.Contains(err.Error(), "ghost cells for a selection of kind") {
			t.Fatalf("%+v of %v: errors %v, %v", f, s.Kind(), err, sizeErr)
		}
		return
	}
	if err != nil || sizeErr != nil {
		t.Fatalf("%+v of %v: %v, %v", f, s.Kind(), err, sizeErr)
	}
	at, wantSize := inMemory(s, f)
	if size != wantSize {
		t.Fatalf("%+v of %+v: %d bytes of memory, want %d", f, s.Selection, size, wantSize)
	}
	var want []pattern.ContiguousPiece
	element := s.ElementBytes()
	for k, e := range s.elements {
		if n := len(want); n > 0 && want[n-1].File+want[n-1].Bytes == e*element &&
			want[n-1].Memory+want[n-1].Bytes == at[k] {
			want[n-1].Bytes += element
			continue
		}
		want = append(want, pattern.ContiguousPiece{File: e * element, Memory: at[k], Bytes: element})
	}
	if pieces := slices.Collect(got); !slices.Equal(pieces, want) {
		t.Fatalf("%+v of %v %+v: pieces %v, want %v", f, s.Kind(), s.Selection, pieces, want)
	}
}

func TestPiecesAreThoseOfTheModel(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	seen := map[pattern.MemoryKind]int{}
	for range 20000 {
		n := noise(r)
		s, ok := draw(t, n)
		if !ok {
			continue
		}
		f := drawForm(n, s.Selection)
		checkPieces(t, s, f)
		seen[f.Kind]++
	}
	for k := pattern.Dense; k <= pattern.Strided; k++ {
		if seen[k] < 1000 {
			t.Errorf("only %d forms of kind %v", seen[k], k)
		}
	}
}

func FuzzPieces(f *testing.F) {
	r := rand.New(rand.NewPCG(10, 10))
	for range 20 {
		f.Add([]byte(*noise(r)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n := numbers(data)
		if s, ok := draw(t, &n); ok {
			checkPieces(t, s, drawForm(&n, s.Selection))
		}
	})
}

// A run of file bytes can begin in one row of memory and end in the next row.
func TestARunAcrossTheMarginsOfTwoRowsIsTwoPieces(t *testing.T) {
	s, err := pattern.SelectHyperslab([]uint64{2, 6}, 1, pattern.Hyperslab{
		Start: []uint64{0, 0}, Stride: []uint64{1, 4}, Count: []uint64{2, 2}, Block: []uint64{1, 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	checkPieces(t, drawn{s, []uint64{0, 1, 4, 5, 6, 7, 10, 11}},
		pattern.MemoryArrangement{Kind: pattern.Ghost, GhostCells: 1})
}

func TestFormsThatCannotBeAreRefused(t *testing.T) {
	s, err := pattern.SelectEverything([]uint64{4, 6}, 8)
	if err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]pattern.MemoryArrangement{
		"beyond a structure of 8":             {Kind: pattern.Member, MemberOffset: 1, StructBytes: 8},
		"beyond a structure of 4":             {Kind: pattern.Member, StructBytes: 4},
		"every 0-th":                          {Kind: pattern.Strided},
		"every 2305843009213693952-th":        {Kind: pattern.Strided, StrideElements: 1 << 61},
		"memory of a transfer has 2^64 bytes": {Kind: pattern.Strided, StrideElements: 1 << 57},
		"last 3 of 2 dimensions":              {Kind: pattern.Ghost, GhostCells: 1, GhostDims: 3},
		"take smaller gaps":                   {Kind: pattern.Ghost, GhostCells: 1 << 63},
		"or take smaller gaps":                {Kind: pattern.Ghost, GhostCells: 1 << 40},
	} {
		if _, err := pattern.ContiguousPieces(s, f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want an error with %q", f, err, want)
		}
	}
}
