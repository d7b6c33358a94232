//go:build cgo && !nompi

package bench_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/test/mpitest"
)

func aSpreadOverNodesWritesTheSameFiles(t *testing.T, world mpi.Comm) {
	nodes := map[option.ProcessSpread]int{option.SpreadRanks: 1, option.SpreadNodes: 2}
	files := map[option.ProcessSpread]map[string][]byte{}
	for _, spread := range result.ValuesOf[option.ProcessSpread]() {
		o := small(world, option.Conditions{Spread: spread, Keep: true})
		o.APIs, o.Interleaved, o.Collective = []string{result.POSIX, result.MPIIO}, true, true
		o.MinProcesses, o.MaxProcesses = new(2), new(2)
		dir := mpitest.Dir(t, world)
		_, cases := measure(t, on2Nodes(world), o, dir, realEngines())
		complete(t, string(spread), cases, true)
		if got := cases[0].Nodes; got != nodes[spread] {
			t.Errorf("%s: %d nodes, want %d", spread, got, nodes[spread])
		}
		files[spread] = contents(t, dir)
	}
	all := files[option.SpreadRanks]
	if len(all) != 2 || len(files[option.SpreadNodes]) != 2 {
		t.Errorf("files %d and %d, want one for each API", len(all), len(files[option.SpreadNodes]))
	}
	for name, data := range all {
		if !bytes.Equal(data, files[option.SpreadNodes][name]) {
			t.Errorf("%s differs", name)
		}
	}
}

// contents returns the contents of the files in a directory by file name.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if all[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Only members create the communicators of a group, so other processes need not take part.
func everyStepOfEveryAPIEnds(t *testing.T, world mpi.Comm) {
	for _, order := range result.ValuesOf[option.CaseOrder]() {
		for _, spread := range result.ValuesOf[option.ProcessSpread]() {
			o := small(world, option.Conditions{Spread: spread, Order: order})
			o.MinProcesses, o.Collective = nil, true
			counted := on2Nodes(world)
			_, cases := measure(t, counted, o, mpitest.Dir(t, world), realEngines())
			complete(t, string(spread), cases, true)
			if len(cases) != 9 || *counted.live != 0 {
				t.Errorf("%s, %s: %d cases, want 3 steps of 3 APIs; %d communicators left", order, spread, len(cases),
					*counted.live)
			}
		}
	}
}
