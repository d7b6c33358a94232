package workload

import (
	"fmt"

	"h5perf/pkg/pattern"
)

// record is a rule for one record of a dataset.
type record struct {
	parts
	records, index uint64
}

// record returns the parts of a record.
func (r Rule) record(dims []uint64, element, ranks uint64) (parts, error) {
	index := r.Record[0]
	if len(dims) < 2 || index >= dims[0] {
		return nil, fmt.Errorf("record %d of a dataset of extent %v: a dataset with records has two dimensions or "+
			"more, and records count from 0", index, dims)
	}
	r.Record = r.Record[1:]
	p, err := r.parts(dims[1:], element, ranks)
	return record{p, dims[0], index}, err
}

func (r record) selection(rank uint64) (pattern.Selection, error) {
	s, err := r.parts.selection(rank)
	if err != nil {
		return s, err
	}
	return s.InRecord(r.records, r.index)
}

func (r record) load() Load {
	l := r.parts.load()
	if l.Cover == CoverOnce && r.records > 1 {
		l.Cover = CoverPart
	}
	return l
}
