//go:build cgo

package hdf5

import (
	"slices"
	"testing"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

func must(t *testing.T) func(pattern.Selection, error) pattern.Selection {
	return func(s pattern.Selection, err error) pattern.Selection {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// HDF5 copies rows only if memory and file have the same number of dimensions.
func TestTheMemoryHasTheShapeOfTheSelection(t *testing.T) {
	dims := []uint64{8, 12, 10}
	block := pattern.Hyperslab{
		Start: []uint64{4, 0, 0}, Stride: []uint64{4, 6, 10}, Count: []uint64{1, 1, 1}, Block: []uint64{4, 6, 10},
	}
	strided := pattern.Hyperslab{
		Start: []uint64{0, 1, 0}, Stride: []uint64{2, 4, 5}, Count: []uint64{4, 3, 2}, Block: []uint64{1, 2, 5},
	}
	selected := must(t)
	selections := map[string]pattern.Selection{
		"all":       selected(pattern.SelectEverything(dims, 8)),
		"scalar":    selected(pattern.SelectEverything(nil, 8)),
		"singular":  selected(pattern.SelectHyperslab(dims, 8, block)),
		"regular":   selected(pattern.SelectHyperslab(dims, 8, strided)),
		"irregular": selected(pattern.SelectBoxes(dims, 8, []uint64{0, 0, 0, 2, 2, 2}, []uint64{1, 1, 4, 2, 2, 2})),
		"points":    selected(pattern.SelectPoints(dims, 8, []uint64{7, 0, 0, 0, 0, 1, 2, 3, 4})),
		"nothing":   selected(pattern.SelectNothing(dims, 8)),
	}
	dense := pattern.MemoryArrangement{}
	every := pattern.MemoryArrangement{Kind: pattern.Strided, StrideElements: 3}
	member := pattern.MemoryArrangement{Kind: pattern.Member, MemberOffset: 8, StructBytes: 32}
	ghost := pattern.MemoryArrangement{Kind: pattern.Ghost, GhostCells: 2, GhostDims: 2}
	for _, c := range []struct {
		selection string
		form      pattern.MemoryArrangement
		dims      []uint64 // extent of the memory dataspace
	}{
		{"all", dense, dims},
		{"singular", dense, []uint64{4, 6, 10}},
		{"regular", dense, []uint64{4, 6, 10}},
		{"singular", every, []uint64{4, 6, 30}},
		{"regular", every, []uint64{4, 6, 30}},
		{"all", member, []uint64{8, 12, 40}},
		{"singular", member, []uint64{4, 6, 40}},
		{"regular", member, []uint64{4, 6, 40}},
		{"singular", ghost, []uint64{4, 10, 14}},
		{"regular", ghost, []uint64{4, 10, 14}},
		{"scalar", dense, []uint64{1}},
		{"scalar", member, []uint64{4}},
		{"irregular", dense, []uint64{12}},
		{"irregular", every, []uint64{36}},
		{"irregular", member, []uint64{48}},
		{"points", dense, []uint64{3}},
		{"points", every, []uint64{9}},
		{"nothing", dense, []uint64{1}},
	} {
		m := workload.Move{Listed: true, Selection: selections[c.selection], Form: c.form}
		got, slab, err := memorySelection(&m)
		if err != nil || !slices.Equal(got, c.dims) {
			t.Errorf("%s, %v: memory of %v, error %v, want %v", c.selection, c.form.Kind, got, err, c.dims)
			continue
		}
		if slab == nil {
			continue
		}
		// The elements are at the offsets that the form requires.
		inMemory, err := pattern.SelectHyperslab(got, 8, *slab)
		if err != nil {
			t.Errorf("%s, %v: %v", c.selection, c.form.Kind, err)
			continue
		}
		var offsets []uint64
		for offset, bytes := range inMemory.Runs() {
			for ; bytes > 0; offset, bytes = offset+8, bytes-8 {
				offsets = append(offsets, offset)
			}
		}
		pieces, err := pattern.ContiguousPieces(m.Selection, m.Form)
		if err != nil {
			t.Fatal(err)
		}
		var want []uint64
		for p := range pieces {
			for k := uint64(0); k < p.Bytes; k += 8 {
				want = append(want, p.Memory+k)
			}
		}
		if !slices.Equal(offsets, want) {
			t.Errorf("%s, %v: elements at %v of the memory, want %v", c.selection, c.form.Kind, offsets, want)
		}
	}
	// A structure that contains all members of a compound is one element.
	m := workload.Move{Listed: true, Selection: selections["singular"], Form: member}
	m.StructureType.Members = []workload.Member{{}}
	if got, slab, err := memorySelection(&m); err != nil || slab != nil || !slices.Equal(got, []uint64{4, 6, 10}) {
		t.Errorf("structures: memory of %v, selection %v, error %v", got, slab, err)
	}
}
