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

// smooth is a workload whose data can be compressed. Verb: an argument with the compression ratio of the data.
const smooth = `"""Data that compress."""
def write(job):
    job.dump()
    f = job.create("smooth")
    field = f.create_dataset("field", "f8", (64, 64, 128), chunks = (16, 64, 64), shuffle = True,
        compression = "gzip"%s)
    field.write(block(), collective = True)
    f.close()

def read(job):
    job.dump()
    f = job.open("smooth")
    f["field"].read(block(), collective = True)
    f.close()
`

func TestFiltersMakeDataSmallerByTheirRatio(t *testing.T) {
	t.Parallel()
	const bytes = 64 * 64 * 128 * 8
	for data, asked := range map[string]uint64{"": bytes, ", ratio = 4": bytes / 4} {
		t.Run("data"+data, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "smooth.star")
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
					if c.Filtered == nil || c.Filtered.RequestedBytes != asked {
						t.Errorf("%+v, want %d bytes as asked for", c.Filtered, asked)
					}
					if f := c.FilterTimes; len(f) != 1 || strings.Join(f[0].Filters, ", ") != "shuffle, deflate" ||
						f[0].Write < 2*f[0].WriteWithout || f[0].Read < f[0].ReadWithout || f[0].Bytes < 1<<20 {
						t.Errorf("times of filters %+v", f)
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

// szipped is a workload with one dataset. It has the filter szip, which does not make its data smaller. Verbs:
// arguments with the name of its file, and with the type of its elements.
const szipped = `"""A filter that does not make data smaller."""
def write(job):
    job.dump()
    f = job.create(%[1]s)
    numbers = f.create_dataset("numbers", %[2]s, shape = (40, 20), chunks = (20, 10), compression = "szip",
        compression_opts = 8)
    numbers.write(everything(ranks = 1), collective = True)
    f.close()

def read(job):
    job.dump()
    f = job.open(%[1]s)
    f["numbers"].read(everything(ranks = 1), collective = True)
    f.close()
`

// If a filter does not make a chunk smaller, the mpio driver of HDF5 1.10 cannot read the data that it has written. In
// a file that all ranks have open, the rank that fails leaves the others waiting. The serial driver does not have this
// bug.
func TestFiltersThatCannotBeReadBackAreRefusedBeforeAFileIsMade(t *testing.T) {
	t.Parallel()
	const shared, own = `"shared"`, `"own%d" % job.rank, alone = True`
	for _, c := range []struct {
		ranks           int
		file            string
		of, typ         string
		parallelHDF5Can bool // also in HDF5 1.10
	}{
		{1, shared, `"i4"`, "i32", false},
		{2, shared, `"i4"`, "i32", false},
		{2, shared, `"u1"`, "u8", false},
		{2, shared, `"f8", ratio = 2`, "f64", false}, // some chunks become smaller, others do not
		{2, own, `"u1"`, "u8", true},
	} {
		t.Run(fmt.Sprint(c.ranks, c.file == own, c.of), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "szipped.star")
			if err := os.WriteFile(file, fmt.Appendf(nil, szipped, c.file, c.of), 0o600); err != nil {
				t.Fatal(err)
			}
			base := t.TempDir()
			l := launch(t, c.ranks, base, nil, nil, "run", file, "-i", "1", "-D", "v")
			status := l.wait(2 * startTime)
			doc := l.document()
			if c.parallelHDF5Can || h5.VersionAtLeast(1, 14, 0) && doc.State == result.Complete {
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
