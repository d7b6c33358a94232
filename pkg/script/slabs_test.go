package script_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/script"
)

func TestHyperslabsOfAList(t *testing.T) {
	for call, want := range map[string]string{
		"[hyperslab((job.rank, 0), (1, 6))]":                                             "000000 111111 222222 333333",
		"hyperslab((job.rank, 0), (1, 3), stride = (1, 2))":                              "0.0.0. 1.1.1. 2.2.2. 3.3.3.",
		"[hyperslab((job.rank, 4), 2 * (1,)), hyperslab((job.rank, 0), (1, 2), (1, 2))]": "0.0.0. 1.1.1. 2.2.2. 3.3.3.",
		"[hyperslab((0, job.rank), (2, 1), (2, 1)), hyperslab((3, 4), (1, 1), block = (1, 2))]": "0123.. ...... " +
			"0123.. ....##",
	} {
		if got := draw(t, call, []uint64{4, 6}); got != strings.ReplaceAll(want, " ", "") {
			t.Errorf("%s: %s, want %s", call, got, want)
		}
	}
}

// A count without gaps is a block: HDF5 would take long to unite single elements.
func TestBlocksWithoutGapsAreOneBox(t *testing.T) {
	p, err := program(`
def write(job):
    f = job.create("f")
    d = f.create_dataset("x", "f8", (40, 60))
    d.write([hyperslab((0, 0), (20, 30)), hyperslab((20, 0), (5, 10), (4, 6), (2, 6))])
    f.close()
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, extent := p.Moves[0].Selection.Boxes()
	if want := []uint64{20, 30, 2, 60, 2, 60, 2, 60, 2, 60, 2, 60}; !slices.Equal(extent, want) {
		t.Errorf("extents of the boxes: %v, want %v", extent, want)
	}
}

// A list of a million hyperslabs needs at most 300 MB.
func TestManyHyperslabsNeedLittleMemory(t *testing.T) {
	const slabs, most = 100_000, 800 // most: allocated bytes for each hyperslab, most of which are freed
	s := read(t, `
def write(job):
    f = job.create("f")
    f.create_dataset("x", "f8", (200000, 4)).write([hyperslab((z, 0), (1, 2)) for z in range(0, 200000, 2)])
    f.close()
`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := s.Program(0, script.JobSize{Ranks: 1, Nodes: 1})
	runtime.ReadMemStats(&after)
	if err != nil || p.Moves[0].Selection.NumElements() != 2*slabs {
		t.Fatalf("%d elements, %v", p.Moves[0].Selection.NumElements(), err)
	}
	if each := (after.TotalAlloc - before.TotalAlloc) / slabs; each > most {
		t.Errorf("%d bytes are allocated for a hyperslab, want %d at most", each, most)
	}
}
