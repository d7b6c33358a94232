//go:build cgo && !nompi

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/h5"
	"h5perf/pkg/result"
)

// szipped is a workload whose only dataset has the filter szip, which does not make its data smaller. Verbs: the name
// of its file, what there is one for, and the type of its elements.
const szipped = `workload: szipped
files:
  f: {name: "%s", per: %s}
objects:
  numbers: {dataset: numbers, in: f, type: %s, extent: [40, 20], chunk: [20, 10], filters: [szip: 8]}
write:
  dumps: 1
  dump:
    - create: [f, numbers]
    - {write: numbers, select: {rule: root}, mode: collective}
    - close: [numbers, f]
read:
  dumps: 1
  dump:
    - open: [f, numbers]
    - {read: numbers, select: {rule: root}, mode: collective}
    - close: [numbers, f]
`

// The mpio driver of HDF5 1.10 cannot read what it writes with a filter that does not make a chunk smaller. In a file
// that all ranks have open, the rank that fails leaves the others waiting. The serial driver has no such fault.
func TestFiltersThatCannotBeReadBackAreRefusedBeforeAFileIsMade(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		ranks           int
		name, per, typ  string
		parallelHDF5Can bool // also that of 1.10
	}{
		{1, "shared", "run", "i32", false},
		{2, "shared", "run", "i32", false},
		{2, "shared", "run", "u8", false},
		{2, "own{rank}", "rank", "u8", true},
	} {
		t.Run(fmt.Sprint(c.ranks, c.per, c.typ), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "szipped.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, szipped, c.name, c.per, c.typ), 0o600); err != nil {
				t.Fatal(err)
			}
			base := t.TempDir()
			l := launch(t, c.ranks, base, nil, nil, "run", file, "-i", "1", "-D", "v")
			status := l.wait(2 * startTime)
			doc := l.document()
			if c.parallelHDF5Can || h5.AtLeast(1, 14, 0) && doc.State == result.Complete {
				if status != 0 || doc.State != result.Complete || !doc.Cases[2].Verified {
					t.Errorf("exit status %d, document %s", status, doc.State)
				}
				return
			}
			if status == 0 || len(doc.Cases) > 0 && len(doc.Cases[0].Samples) > 0 {
				t.Errorf("exit status %d, %d cases: want a refusal before the first sample", status, len(doc.Cases))
			}
			for _, part := range []string{
				"dataset numbers of type " + c.typ + " with the filter szip", "HDF5 " + h5.Version(), "H5Dread",
				"szip_filter", "other filters",
			} {
				if !strings.Contains(l.stderr.String(), part) {
					t.Errorf("standard error does not say %q", part)
				}
			}
			l.cleaned()
		})
	}
}
