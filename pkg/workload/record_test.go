package workload_test

import (
	"slices"
	"testing"

	"h5perf/pkg/workload"
)

func TestARecordIsDividedAsADatasetOfItsOwn(t *testing.T) {
	dims, element, ranks := []uint64{4, 5, 6, 40}, uint64(4), uint64(3)
	for _, r := range []workload.Rule{
		{Name: workload.BlockRule},
		{Name: workload.SlabRule},
		{Name: workload.AllRule},
		{Name: workload.NoneRule},
		{Name: workload.MapRule, Dim: -1, Length: 6, Seed: 1},
		{Name: workload.CyclicRule, Dim: 1, Length: 3},
	} {
		for _, c := range []struct {
			dims, record []uint64
			place        uint64 // of the record, in bytes
		}{
			{dims[1:], []uint64{3}, 3 * 6 * 40 * 4},
			{dims, []uint64{2, 3}, (2*5 + 3) * 6 * 40 * 4},
		} {
			of := r
			of.Record = c.record
			for rank := range ranks {
				whole, err := r.Selection(dims[2:], element, rank, ranks)
				if err != nil {
					t.Fatal(err)
				}
				part, err := of.Selection(c.dims, element, rank, ranks)
				if err != nil {
					t.Fatal(err)
				}
				var want, got []uint64
				for at, bytes := range whole.Runs() {
					want = append(want, at+c.place, bytes)
				}
				for at, bytes := range part.Runs() {
					got = append(got, at, bytes)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s, record %v, rank %d: runs %v, want %v", r.Name, c.record, rank, got, want)
				}
			}
			a, err := r.TotalBytes(dims[2:], element, ranks)
			b, err2 := of.TotalBytes(c.dims, element, ranks)
			if err != nil || err2 != nil || a != b {
				t.Errorf("%s: load %+v (%v), of record %v %+v (%v)", r.Name, a, err, c.record, b, err2)
			}
		}
	}
	for _, c := range []struct {
		record []uint64
		dims   []uint64
	}{{[]uint64{4}, dims}, {[]uint64{0}, dims[:1]}, {[]uint64{0, 5}, dims}, {[]uint64{0, 0, 0, 0}, dims}} {
		if _, err := (workload.Rule{Name: workload.BlockRule, Record: c.record}).TotalBytes(c.dims, element,
			ranks); err == nil {
			t.Errorf("record %v of %v was taken", c.record, c.dims)
		}
	}
}
