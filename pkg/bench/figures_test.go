//go:build cgo && !nompi

package bench_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/engine/mpiio"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/enginetest"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// guideFigure is a figure in the user guide of HDF5's h5perf that shows which process wrote each byte.
type guideFigure struct {
	name    string
	options plan.Options
	bytes   string // bytes of the dataset in row-major order; the digit is the rank
	chunks  string // bytes of the plain file that emulates chunked layout, if they differ
}

func options(e, b, x uint64, twoD, interleaved, chunked bool) plan.Options {
	return plan.Options{
		Sizes: option.Sizes{
			BytesPerProcess: &e, BlockSize: &b, MinTransferSize: &x, MaxTransferSize: &x, TwoD: twoD,
			Interleaved: interleaved, Chunked: chunked,
		},
	}
}

func rows(row string, n int) string { return strings.Repeat(row, n) }

var guideFigures = map[int][]guideFigure{
	3: {
		{"figure 2", options(8, 2, 4, false, false, false), "000000001111111122222222", ""},
		{"figure 3", options(4, 2, 4, false, true, false), "001122001122", ""},
		{"figures 5 and 6", options(4, 2, 12, true, false, false), rows("0", 48) + rows("1", 48) + rows("2", 48), ""},
		{"figures 7 and 8", options(4, 2, 12, true, true, false), rows("001122001122", 12), ""},
		{"figure 7, chunked", options(4, 2, 12, true, true, true), rows("001122001122", 12), rows("000011112222", 12)},
	},
	2: {
		{"figure 9's pattern for two processes", options(4, 2, 4, false, true, false), "00110011", ""},
		{"figure 10", options(4, 4, 4, true, false, false), rows("0", 32) + rows("1", 32), ""},
		{"figure 11", options(4, 4, 4, true, false, true), rows("0", 32) + rows("1", 32), ""},
	},
}

func theGuidesFiguresAreInTheFiles(t *testing.T, world mpi.Comm) {
	n := world.Size()
	engines := map[string]engine.Engine{
		result.POSIX: posix.New(), result.MPIIO: mpiio.New(),
		result.PHDF5: hdf5.New(),
	}
	dir := mpitest.Dir(t, world)
	for _, f := range guideFigures[n] {
		for _, collective := range []bool{false, true} {
			f.options.MinProcesses, f.options.Collective = &n, collective
			p1, err := plan.New(f.options, plan.JobFacts{Processes: n})
			if err != nil {
				t.Fatal(err)
			}
			for c := range p1.Cases() {
				path := filepath.Join(dir, "data_1.h5")
				writeRank(t, world, engines[c.API], c, path)
				if world.Rank() == 0 {
					want := f.bytes
					if f.chunks != "" && c.API != result.PHDF5 {
						want = f.chunks
					}
					if got := fileContent(t, c.API, path); got != want {
						t.Errorf("%s, %s, collective %v: file holds\n%s, want\n%s", f.name, c.API, collective, got,
							want)
					}
					if err := os.Remove(path); err != nil {
						t.Fatal(err)
					}
				}
				world.Barrier()
			}
		}
	}
}

// writeRank writes a dataset in which every byte is the digit of the rank that wrote it.
func writeRank(t *testing.T, world mpi.Comm, e engine.Engine, c plan.Case, path string) {
	t.Helper()
	spec, err := enginetest.NewSpec(world, c.FileSequence(uint64(world.Rank())), c.Parameters.BlockSize, 0)
	if err != nil {
		t.Fatal(err)
	}
	spec.Collective, spec.ContiguousPart, spec.Chunk = c.Parameters.Mode == "collective", c.HasContiguousParts(),
		c.ChunkExtent()
	spec.HDF5, spec.MPIIO = c.Parameters.HDF5Settings, c.Parameters.MPIIOSettings
	for i := range spec.Buffer.Pool {
		spec.Buffer.Pool[i] = '0' + byte(world.Rank())
	}
	s, err := enginetest.Prepare(e, spec)
	if err != nil {
		t.Fatal(err)
	}
	f, err := s.Open(path, workload.Write)
	if err != nil {
		t.Fatal(err)
	}
	world.Barrier() // every process that opens a POSIX file truncates it
	d, err := f.Dataset(0, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() error{
		func() error { return d.Transfer(spec.Sequence.NumTransfers()) }, d.Close, f.Close, s.Close,
		func() error { return engine.UnmapMemory(spec.Buffer.Pool) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	world.Barrier()
}

// fileContent returns the content of a file: all bytes of a plain file, or the dataset of an HDF5 file as h5dump
// exports it.
func fileContent(t *testing.T, api, path string) string {
	t.Helper()
	if api == result.PHDF5 {
		raw := path + ".raw"
		defer func() { _ = os.Remove(raw) }()
		out, err := exec.Command("h5dump", "-d", "Dataset_1", "-b", "LE", "-o", raw, path).CombinedOutput()
		if err != nil {
			t.Fatalf("h5dump: %v\n%s", err, out)
		}
		path = raw
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(fmt.Errorf("content of %s: %w", api, err))
	}
	return string(data)
}
