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

// smooth is a workload of data that compress. Verb: the ratio of the data.
const smooth = `workload: smooth
files:
  f: {name: "smooth", per: run}
objects:
  field: {dataset: field, in: f, type: f64, extent: [64, 64, 128], chunk: [16, 64, 64],
    filters: [shuffle, deflate: 4]%s}
write:
  dumps: 1
  dump:
    - create: [f, field]
    - {write: field, select: {rule: block}, mode: collective}
    - close: [field, f]
read:
  dumps: 1
  dump:
    - open: [f, field]
    - {read: field, select: {rule: block}, mode: collective}
    - close: [field, f]
`

func TestFiltersMakeDataSmallerByTheirRatio(t *testing.T) {
	t.Parallel()
	const bytes = 64 * 64 * 128 * 8
	for data, asked := range map[string]uint64{"": bytes, ", data: {ratio: 4}": bytes / 4} {
		t.Run("data"+data, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "smooth.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, smooth, data), 0o600); err != nil {
				t.Fatal(err)
			}
			l := launch(t, 2, t.TempDir(), nil, nil, "run", file, "-i", "1", "-D", "v")
			if status := l.wait(2 * startTime); status != 0 {
				t.Fatalf("exit status %d", status)
			}
			for _, c := range l.document().Cases {
				size := float64(c.Effective.Files[0].Bytes)
				want := float64(bytes)
				if c.API == result.PHDF5 {
					want = float64(asked)
					if c.Filtered == nil || c.Filtered.AskedBytes != asked {
						t.Errorf("%+v, want %d bytes as asked for", c.Filtered, asked)
					}
				} else if c.Filtered != nil {
					t.Errorf("%s has filters: %+v", c.API, c.Filtered)
				}
				if !c.Verified || size < want/1.3 || size > want*1.3 {
					t.Errorf("%s: verified %v, a file of %g bytes, want %g", c.API, c.Verified, size, want)
				}
			}
		})
	}
}

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
		data            string
		parallelHDF5Can bool // also that of 1.10
	}{
		{1, "shared", "run", "i32", "", false},
		{2, "shared", "run", "i32", "", false},
		{2, "shared", "run", "u8", "", false},
		{2, "shared", "run", "f64", ", data: {ratio: 2}", false}, // some chunks become smaller, and some do not
		{2, "own{rank}", "rank", "u8", "", true},
	} {
		t.Run(fmt.Sprint(c.ranks, c.per, c.typ, c.data), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "szipped.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, szipped, c.name, c.per, c.typ+c.data), 0o600); err != nil {
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
