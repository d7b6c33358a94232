//go:build cgo

package hdf5

import (
	"reflect"
	"testing"

	"h5perf/pkg/fill"
	"h5perf/pkg/workload"
)

// The time of a filter depends on the values.
func TestASmallDatasetHasTheValuesOfTheDataset(t *testing.T) {
	o := workload.Object{
		Type: workload.Byte, Chunk: []uint64{1 << 10}, Dims: []uint64{1 << 20},
		Filters: []workload.Filter{{Name: "deflate"}}, ValueKind: fill.SmoothValues,
	}
	small := smallDatasetLike(&o, workload.All, 1<<14)
	if !reflect.DeepEqual(small.Values(7), o.Values(7)) || small.Dims[0] != 1<<14 {
		t.Errorf("values %+v of %d bytes, want %+v of %d", small.Values(7), small.Dims[0], o.Values(7), 1<<14)
	}
}
