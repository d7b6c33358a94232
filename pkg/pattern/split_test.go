package pattern_test

import (
	"fmt"
	"slices"
	"testing"

	"h5perf/pkg/pattern"
)

// bands returns a union of boxes in a dataset of extent 2 × 3 × 8.
func bands(t *testing.T, start, extent []uint64) pattern.Selection {
	t.Helper()
	s, err := pattern.SelectBoxes([]uint64{2, 3, 8}, 4, start, extent)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// runsOf returns the runs of a selection with elements of 4 bytes, as offsets and lengths in elements.
func runsOf(s pattern.Selection) (all [][2]uint64) {
	for at, bytes := range s.Runs() {
		all = append(all, [2]uint64{at / 4, bytes / 4})
	}
	return all
}

func TestPiecesAreTheRunsOfBoxes(t *testing.T) {
	for _, c := range []struct {
		name string
		of   pattern.Selection
		want string
	}{
		{
			"runs in all records and rows", bands(t, []uint64{0, 0, 6, 0, 0, 1}, []uint64{2, 3, 2, 2, 3, 3}),
			"[[1 3] [6 2] [9 3] [14 2] [17 3] [22 2] [25 3] [30 2] [33 3] [38 2] [41 3] [46 2]]",
		},
		{
			"neighbours are two", bands(t, []uint64{0, 1, 0, 0, 1, 3}, []uint64{1, 1, 3, 1, 1, 1}),
			"[[8 3] [11 1]]",
		},
		{"whole rows are one", bands(t, []uint64{1, 1, 0}, []uint64{1, 2, 8}), "[[32 16]]"},
		{"one box", bands(t, []uint64{0, 1, 2}, []uint64{2, 1, 5}), "[[10 5] [34 5]]"},
		{"nothing", bands(t, nil, nil), "[]"},
	} {
		pieces, err := c.of.SplitIntoRuns()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var got [][2]uint64
		for _, p := range pieces {
			if p.Kind() != pattern.Singular {
				t.Errorf("%s: a piece of kind %v", c.name, p.Kind())
			}
			got = append(got, runsOf(p)...)
		}
		if fmt.Sprint(got) != c.want || len(got) != len(pieces) {
			t.Errorf("%s: %v in %d pieces, want %s", c.name, got, len(pieces), c.want)
		}
	}
	regular, err := pattern.SelectHyperslab([]uint64{8}, 4, pattern.Hyperslab{
		Start: []uint64{0}, Stride: []uint64{4}, Count: []uint64{2}, Block: []uint64{1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := regular.SplitIntoRuns(); err == nil {
		t.Error("a regular hyperslab has pieces")
	}
}

func TestPointsAreTheSameElements(t *testing.T) {
	s := bands(t, []uint64{0, 0, 6, 1, 1, 1}, []uint64{1, 2, 2, 1, 1, 3})
	points, err := s.AsPoints()
	if err != nil {
		t.Fatal(err)
	}
	want := []uint64{0, 0, 6, 0, 0, 7, 0, 1, 6, 0, 1, 7, 1, 1, 1, 1, 1, 2, 1, 1, 3}
	if points.Kind() != pattern.Points || !slices.Equal(points.Coordinates(), want) {
		t.Errorf("%v %v, want %v", points.Kind(), points.Coordinates(), want)
	}
	if got, want := fmt.Sprint(runsOf(points)), fmt.Sprint(runsOf(s)); got != want {
		t.Errorf("runs %s, want %s", got, want)
	}
	if none, err := bands(t, nil, nil).AsPoints(); err != nil || none.Kind() != pattern.None {
		t.Errorf("points of nothing: %v, %v", none.Kind(), err)
	}
}

func TestBlocksOfAHyperslab(t *testing.T) {
	h := pattern.Hyperslab{
		Start: []uint64{1, 2}, Stride: []uint64{4, 3}, Count: []uint64{2, 2}, Block: []uint64{2, 3},
	}
	start, extent := h.Blocks()
	if want := []uint64{1, 2, 1, 5, 5, 2, 5, 5}; !slices.Equal(start, want) {
		t.Errorf("blocks start at %v, want %v", start, want)
	}
	if want := []uint64{2, 3, 2, 3, 2, 3, 2, 3}; !slices.Equal(extent, want) {
		t.Errorf("blocks have the extents %v, want %v", extent, want)
	}
}
