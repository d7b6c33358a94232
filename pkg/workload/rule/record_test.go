package rule_test

import (
	"slices"
	"testing"

	"h5perf/pkg/workload/rule"
)

func TestARecordIsDividedAsADatasetOfItsOwn(t *testing.T) {
	dims, element, ranks := []uint64{5, 6, 40}, uint64(4), uint64(3)
	record := uint64(6 * 40 * 4) // bytes
	for _, r := range []rule.Rule{
		{Name: rule.Block},
		{Name: rule.Slab},
		{Name: rule.All},
		{Name: rule.Root},
		{Name: rule.None},
		{Name: rule.Map, Dim: -1, Length: 6, Seed: 1},
		{Name: rule.Cyclic, Dim: 1, Length: 3},
	} {
		of := r
		of.Record = 4
		for rank := range ranks {
			whole, err := r.Selection(dims[1:], element, rank, ranks)
			if err != nil {
				t.Fatal(err)
			}
			part, err := of.Selection(dims, element, rank, ranks)
			if err != nil {
				t.Fatal(err)
			}
			var want, got []uint64
			for at, bytes := range whole.Runs() {
				want = append(want, at+3*record, bytes)
			}
			for at, bytes := range part.Runs() {
				got = append(got, at, bytes)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, rank %d: runs %v, want %v", r.Name, rank, got, want)
			}
		}
		a, err := r.Load(dims[1:], element, ranks)
		b, err2 := of.Load(dims, element, ranks)
		if err != nil || err2 != nil || a.Bytes != b.Bytes || a.Most != b.Most || b.Cover == rule.Once {
			t.Errorf("%s: load %+v (%v), of the record %+v (%v)", r.Name, a, err, b, err2)
		}
	}
	for _, c := range []struct {
		record uint64
		dims   []uint64
	}{{6, dims}, {1, dims[:1]}} {
		if err := (rule.Rule{Name: rule.Block, Record: c.record}).Check(c.dims, element, ranks); err == nil {
			t.Errorf("record %d of %v was taken", c.record, c.dims)
		}
	}
}
