package script_test

import (
	"reflect"
	"slices"
	"testing"

	"h5perf/pkg/workload"
)

// The chunks are those of h5py 3 for the same arguments.
func TestChunksAreChosenAsH5pyDoes(t *testing.T) {
	for arguments, want := range map[string][]uint64{
		`"f4", (1000, 1000), chunks = True`:                          {63, 125},
		`"f8", (1000, 1000), chunks = True`:                          {63, 63},
		`"f8", 16, chunks = True`:                                    {16},
		`"f8", (0, 100), maxshape = (None, 100), chunks = True`:      {128, 13},
		`"f8", (4096, 4096, 4096), chunks = True`:                    {32, 32, 64},
		`"V3145728", (3, 2), chunks = True`:                          {1, 1},
		`"f8", 16, chunks = False`:                                   nil,
		`"f8", 16, chunks = True, compression = "gzip", ratio = 2.5`: {16},
	} {
		p, err := dataset(arguments)
		if err != nil {
			t.Errorf("%s: %v", arguments, err)
			continue
		}
		if got := p.Objects[0].Chunk; !slices.Equal(got, want) {
			t.Errorf("%s: chunks %v, want %v", arguments, got, want)
		}
	}
}

func TestCompressionIsNamedAsInH5py(t *testing.T) {
	deflate := func(level int) []workload.Filter { return []workload.Filter{{Name: "deflate", Level: level}} }
	for compression, want := range map[string][]workload.Filter{
		`"gzip"`: deflate(4), `9`: deflate(9), `0`: deflate(0), `True`: deflate(4), `False`: nil, `None`: nil,
		`"gzip", compression_opts = 6`: deflate(6),
	} {
		p, err := dataset(`"f8", 16, chunks = True, compression = ` + compression)
		if err != nil || !reflect.DeepEqual(p.Objects[0].Filters, want) {
			t.Errorf("%s: %+v, %v, want %+v", compression, p.Objects, err, want)
		}
	}
}
