//go:build cgo

package hdf5_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/pattern"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/workload"
)

// The test follows the figures in the design note of h5perf_serial. The dataset grows only as far as seven writes, or
// all writes, need.
func TestExtendibleFigures(t *testing.T) {
	lockThread(t)
	for _, f := range []struct {
		name    string
		box     pattern.BoxPattern
		seventh string // the dataset after seven writes; it is smaller than in the figure
		extent  string
	}{
		{
			"1",
			pattern.BoxPattern{Dims: []uint64{16, 16}, Buffer: []uint64{2, 4}, Order: []int{1, 0}},
			strings.Repeat("1111111111111111", 2) + strings.Repeat("111111111111\x00\x00\x00\x00", 2), "( 4, 16 )",
		},
		{
			"2",
			pattern.BoxPattern{Dims: []uint64{16, 16}, Buffer: []uint64{4, 2}, Order: []int{0, 1}},
			strings.Repeat("1111", 12) + strings.Repeat("11\x00\x00", 4), "( 16, 4 )",
		},
	} {
		seq := f.box.Sequence()
		spec, err := enginetest.NewSpec(mpi.Self{}, seq, seq.TransferBytes(), 0)
		must(t, err)
		using("sec2")(&spec)
		spec.Extendible, spec.Chunk, spec.Datasets = true, f.box.Buffer, 2
		withSpec(t, spec, func(e *prepared) {
			for i := range spec.Buffer.Pool {
				spec.Buffer.Pool[i] = '1'
			}
			path := filepath.Join(t.TempDir(), "data_1.h5")
			e.inFile(path, workload.Write, func(file *enginetest.File) {
				for k, transfers := range []uint64{7, seq.NumTransfers()} {
					set, err := file.Dataset(k, 0, false)
					must(t, err)
					must(t, set.Transfer(transfers))
					must(t, set.Close())
				}
			})
			checkExtensions(t, e, f.name, 4+10)
			e.inFile(path, workload.Read, func(file *enginetest.File) { must(t, e.transfer(file, 1)) })
			checkExtensions(t, e, f.name+" after reading", 4+10)
			for dataset, want := range map[string]struct{ data, extent string }{
				"Dataset_1": {f.seventh, f.extent},
				"Dataset_2": {strings.Repeat("1", 256), "( 16, 16 )"},
			} {
				if got := string(dump(t, path, dataset)); got != want.data {
					t.Errorf("figure %s, %s: %q", f.name, dataset, got)
				}
				got, want := extents(t, path, dataset), want.extent+" / ( H5S_UNLIMITED, H5S_UNLIMITED )"
				if got != want {
					t.Errorf("figure %s, %s: extent %s, want %s", f.name, dataset, got, want)
				}
			}
		})
	}
}

func checkExtensions(t *testing.T, e *prepared, what string, want uint64) {
	t.Helper()
	if got := e.session.Report().Extensions; got != want {
		t.Errorf("figure %s: %d extensions, want %d", what, got, want)
	}
}

// extents returns the current and the maximum extent of a dataset, as h5dump prints them.
func extents(t *testing.T, path, dataset string) string {
	t.Helper()
	out, err := exec.Command("h5dump", "-H", "-d", "/"+dataset, path).CombinedOutput()
	must(t, err)
	_, after, _ := strings.Cut(string(out), "DATASPACE  SIMPLE { ")
	extents, _, _ := strings.Cut(after, " }")
	return extents
}
