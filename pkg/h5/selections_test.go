//go:build cgo

package h5_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/h5"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/h5test"
	"h5perf/pkg/workload"
)

// sides is the extent of the dataset in which the tests select.
var sides = []uint64{13, 17}

// boxesAt returns random boxes in the dataset. Many overlap, and some are empty.
func boxesAt(seed uint64, count int) (starts, extents []uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range count {
		for _, side := range sides {
			start := r.Uint64N(side)
			starts = append(starts, start)
			extents = append(extents, r.Uint64N(1+min(side-start, 4)))
		}
	}
	return starts, extents
}

// union returns the dataset with 1 at all elements in boxes.
func union(starts, extents []uint64) []byte {
	all := make([]byte, sides[0]*sides[1])
	for b := 0; b < len(starts); b += 2 {
		for i := range extents[b] {
			for k := range extents[b+1] {
				all[(starts[b]+i)*sides[1]+starts[b+1]+k] = 1
			}
		}
	}
	return all
}

// selection is a way to select elements.
type selection struct {
	name string
	make func(space *hdf5.Dataspace) error
	want []byte // the dataset with 1 at all selected elements
}

func selections() []selection {
	at := func(places ...uint64) []byte {
		all := make([]byte, sides[0]*sides[1])
		for _, p := range places {
			all[p] = 1
		}
		return all
	}
	slab := pattern.Hyperslab{
		Start: []uint64{1, 2}, Stride: []uint64{5, 6}, Count: []uint64{2, 2}, Block: []uint64{1, 2},
	}
	all := []selection{
		{"none", h5.SelectNone, at()},
		{"all", h5.SelectAll, bytes.Repeat([]byte{1}, 13*17)},
		{
			"slab", func(s *hdf5.Dataspace) error { return h5.SelectSlab(s, slab) },
			at(17+2, 17+3, 17+8, 17+9, 6*17+2, 6*17+3, 6*17+8, 6*17+9),
		},
		{
			"points", func(s *hdf5.Dataspace) error { return h5.SelectPoints(s, []uint64{12, 16, 0, 3, 4, 4}) },
			at(12*17+16, 3, 4*17+4),
		},
		{"no points", func(s *hdf5.Dataspace) error { return h5.SelectPoints(s, nil) }, at()},
	}
	for count := range 12 {
		starts, extents := boxesAt(uint64(count), count*count)
		for _, how := range []workload.UnionMethod{workload.UnionOr, workload.UnionMerge} {
			all = append(all, selection{
				[]string{"merged", "added"}[how] + " boxes",
				func(s *hdf5.Dataspace) error {
					n, err := h5.SelectBoxes(s, starts, extents, how, nil)
					if err == nil && n != uint64(count*count) {
						err = errors.New("fewer boxes than asked for")
					}
					return err
				},
				union(starts, extents),
			})
		}
	}
	return all
}

// Writing through a selection must write the expected elements. The dataspace had another selection before.
func TestSelections(t *testing.T) {
	serial(t, func(o *objects, file *hdf5.File) {
		all := selections()
		shape := o.shape(workload.Object{Type: workload.Byte, Dims: sides})
		sets := o.datasets(file.ID(), "d%d", uint64(len(all)), shape)
		whole := o.space(sides, nil)
		ones := bytes.Repeat([]byte{1}, 13*17)
		for i, s := range all {
			space := o.space(sides, nil)
			o.must(h5.SelectPoints(space, []uint64{5, 5}))
			o.must(s.make(space))
			if n, want := h5test.Selected(space), int64(bytes.Count(s.want, []byte{1})); n != want {
				t.Errorf("%s: %d elements are selected, want %d", s.name, n, want)
			}
			got := make([]byte, len(ones))
			o.must(h5test.Write(sets[i], hdf5.T_STD_U8LE, space, space, hdf5.P_DEFAULT, ones))
			o.must(h5test.Read(sets[i], hdf5.T_STD_U8LE, whole, whole, got))
			if !slices.Equal(got, s.want) {
				t.Errorf("%s: dataset\n%v, want\n%v", s.name, got, s.want)
			}
		}
	})
}

func TestSelectionsThatFail(t *testing.T) {
	serial(t, func(o *objects, _ *hdf5.File) {
		space := o.space(sides, nil)
		starts, extents := boxesAt(1, 9)
		extents[2*6], extents[2*6+1] = workload.Unlimited, workload.Unlimited
		for _, how := range []workload.UnionMethod{workload.UnionOr, workload.UnionMerge} {
			n, err := h5.SelectBoxes(space, starts, extents, how, nil)
			failed(t, n, err, 6, "H5Sselect_hyperslab", "more than one unlimited dimension")
			_, err = h5.SelectBoxes(space, starts[1:], extents[1:], how, nil)
			isUsage(t, err, "17 numbers in 2 dimensions")
			_, err = h5.SelectBoxes(space, starts, extents[2:], how, nil)
			isUsage(t, err, "18 numbers for first elements and 16 for extents")
			stop := int32(1)
			n, err = h5.SelectBoxes(space, starts, extents, how, unsafe.Pointer(&stop))
			done(t, "select with the flag set", n, err, 0)
		}
		isUsage(t, h5.SelectPoints(space, starts[1:]), "17 numbers")
		isUsage(t, h5.SelectSlab(space, pattern.Hyperslab{}), "2 dimensions")
		isUsage(t, h5.SelectPoints(o.space(nil, nil), starts), "0 dimensions")
	})
}

// isUsage checks that an error is not from the HDF5 library and contains a reason.
func isUsage(t *testing.T, err error, reason string) {
	t.Helper()
	_, library := errors.AsType[*h5.CallError](err)
	if err == nil || library || !strings.Contains(err.Error(), reason) {
		t.Errorf("error %v, want one with %q", err, reason)
	}
}
