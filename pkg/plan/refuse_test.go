package plan_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/usage"
)

func TestRefuses(t *testing.T) {
	b := func(n uint64) *uint64 { return new(n) }
	k := func(n uint64) *uint64 { return new(n << 10) }
	for _, c := range []struct {
		name  string
		o     plan.Options
		world int
		want  []string // in the error
	}{
		{
			"unknown API",
			plan.Options{Sizes: option.Sizes{APIs: []string{"posix", "hdf4"}}},
			1,
			[]string{`-A "hdf4"`, "posix, mpiio, phdf5"},
		},
		{"empty API", plan.Options{Sizes: option.Sizes{APIs: []string{""}}}, 1, []string{`-A ""`}},
		{"-m -C", plan.Options{Sizes: option.Sizes{Collective: true}, MPIPosix: true}, 1, []string{
			"-m with -C",
			"collective",
		}},
		{
			"-m --sieve-buffer",
			plan.Options{MPIPosix: true, HDF5: option.HDF5{SieveBufferBytes: b(1)}},
			1,
			[]string{"-m with --sieve-buffer"},
		},
		{
			"subfiling without HDF5",
			plan.Options{Sizes: option.Sizes{APIs: []string{"posix"}}, HDF5: option.HDF5{Driver: "subfiling"}},
			1,
			[]string{"--driver subfiling needs -A phdf5"},
		},
		{
			"--chunk-cache alone",
			plan.Options{HDF5: option.HDF5{ChunkCacheBytes: b(1)}},
			1,
			[]string{"--chunk-cache 1 needs datasets in chunks (-c)"},
		},
		{"view", plan.Options{MPIIO: option.MPIIO{View: "none"}}, 1, []string{`--view "none"`, "auto, transfer"}},
		{"=v", plan.Options{MPIInfo: new("a=b;=v")}, 1, []string{`HDF5_MPI_INFO="a=b;=v": "=v" is not a hint`}},
		{"-a 0", plan.Options{HDF5: option.HDF5{AlignmentBytes: k(0)}}, 1, []string{"--align 0", "at least 1"}},
		{"-i 0", plan.Options{Common: option.Common{Iterations: new(0)}}, 1, []string{"-i 0", "at least 1"}},
		{"-F 0", plan.Options{Sizes: option.Sizes{Files: new(0)}}, 1, []string{"-F 0", "at least 1"}},
		{"-d 0", plan.Options{Sizes: option.Sizes{Datasets: new(0)}}, 1, []string{"-d 0", "at least 1"}},
		{"-p 0", plan.Options{Sizes: option.Sizes{MinProcesses: new(0)}}, 1, []string{"-p 0", "at least 1"}},
		{"-P 0", plan.Options{Sizes: option.Sizes{MaxProcesses: new(0)}}, 1, []string{"-P 0", "at least 1"}},
		{"-P -1", plan.Options{Sizes: option.Sizes{MaxProcesses: new(-1)}}, 1, []string{"-P -1", "at least 1"}},
		{
			"no step fits",
			plan.Options{Sizes: option.Sizes{MinProcesses: new(5), MaxProcesses: new(8)}},
			4,
			[]string{"-p 5 -P 8: every measurement needs more processes than the job has (4)"},
		},

		{"-e 1", plan.Options{Sizes: option.Sizes{BytesPerProcess: b(1)}}, 1, []string{
			"-x", "-e 1",
			"give -x 1, or -e 2 or more",
		}},
		{"-e 1 -B 1", plan.Options{Sizes: option.Sizes{BytesPerProcess: b(1), BlockSize: b(1)}}, 1, []string{
			"-x",
			"-e 1",
			"give -x 1, or -e 2 or more",
		}},
		{
			"x mod B",
			plan.Options{Sizes: option.Sizes{BytesPerProcess: k(12), BlockSize: k(4), MinTransferSize: k(6)}},
			2,
			[]string{"transfer size 6K", "multiple", "-B 4K", "the nearest size is 12K"},
		},
		{
			"e mod x",
			plan.Options{Sizes: option.Sizes{BytesPerProcess: k(12), BlockSize: k(4), MinTransferSize: k(8)}},
			2,
			[]string{"transfer size 8K", "divide", "-e 12K", "the nearest size is 12K"},
		},
		{
			"S mod x",
			plan.Options{Sizes: option.Sizes{
				TwoD: true, BytesPerProcess: k(4), BlockSize: k(2), MinTransferSize: k(12),
				MaxTransferSize: k(12),
			}},
			3,
			[]string{"step of 1 process", "transfer size 12K", "-e 4K × 1 = 4K"},
		},
		{"second x", plan.Options{Sizes: option.Sizes{
			BytesPerProcess: k(12), BlockSize: k(3), MinTransferSize: k(6),
			MaxTransferSize: k(24),
		}}, 1, nil},
		{
			"e mod B in 2D",
			plan.Options{Sizes: option.Sizes{
				TwoD: true, BytesPerProcess: b(6), BlockSize: b(4), MinTransferSize: b(4),
				MaxTransferSize: b(4),
			}},
			2,
			[]string{"-B 4 -e 6", "divide"},
		},

		{
			"D overflows",
			plan.Options{Sizes: option.Sizes{BytesPerProcess: b(math.MaxInt64)}},
			2,
			[]string{"-e 9223372036854775807", "2 process", "9223372036854775807 bytes"},
		},
		{
			"D overflows beyond the job",
			plan.Options{Sizes: option.Sizes{BytesPerProcess: b(1 << 60), MaxProcesses: new(8)}},
			2,
			[]string{"-e 1024P", "8 process"},
		},
		{
			"S² overflows",
			plan.Options{Sizes: option.Sizes{TwoD: true, BytesPerProcess: k(4 << 20)}},
			1,
			[]string{"-e 4G", "2D"},
		},
		{"S overflows", plan.Options{Sizes: option.Sizes{TwoD: true, BytesPerProcess: k(1 << 52)}}, 4, []string{"2D"}},
		{
			"F·d·D overflows",
			plan.Options{Sizes: option.Sizes{Files: new(1 << 20), Datasets: new(1 << 20), BytesPerProcess: k(1 << 20)}},
			1,
			[]string{"-F 1048576 -d 1048576 -e 1G"},
		},

		{
			"chunk size alone",
			plan.Options{Sizes: option.Sizes{ChunkSize: []uint64{4}}},
			1,
			[]string{"--chunk-size needs -c"},
		},
		{
			"chunk of 0",
			plan.Options{Sizes: option.Sizes{Chunked: true, ChunkSize: []uint64{0}}},
			1,
			[]string{"chunk extent 0", "at least 1"},
		},
		{
			"chunk beyond the dataset",
			plan.Options{Sizes: option.Sizes{Chunked: true, ChunkSize: []uint64{513 << 10}}},
			2,
			[]string{"step of 2 process", "chunk extent 513K", "512K"},
		},
		{
			"chunk beyond the smallest dataset",
			plan.Options{Sizes: option.Sizes{Chunked: true, ChunkSize: []uint64{512 << 10}}},
			2,
			[]string{"step of 1 process", "chunk extent 512K", "256K"},
		},
		{
			"chunk of 4 GiB",
			plan.Options{Sizes: option.Sizes{Chunked: true, BytesPerProcess: k(8 << 20), BlockSize: k(4 << 20)}},
			1,
			[]string{"chunk of 4G", "4294967295", "give a smaller --chunk-size"},
		},
		{
			"2D chunk of 4 GiB",
			plan.Options{Sizes: option.Sizes{Chunked: true, TwoD: true, BytesPerProcess: k(128), BlockSize: k(64)}},
			1,
			[]string{"chunk of 64K,64K", "4294967295", "give a smaller --chunk-size"},
		},
		{
			"chunk of 2D in 1D",
			plan.Options{Sizes: option.Sizes{Chunked: true, ChunkSize: []uint64{2, 2}}},
			1,
			[]string{"2 sizes", "1D"},
		},
		{
			"chunk of 3D",
			plan.Options{Sizes: option.Sizes{Chunked: true, TwoD: true, ChunkSize: []uint64{2, 2, 2}}},
			1,
			[]string{"3 sizes", "2D"},
		},

		{
			"-i 2000000000",
			plan.Options{Common: option.Common{Iterations: new(2000000000)}},
			1,
			[]string{"-i 2000000000", "at most 83333 ", "12 sample", "1000000"},
		},
		{
			"-i above the limit",
			plan.Options{
				Sizes:  option.Sizes{MinTransferSize: k(256), APIs: []string{"posix"}},
				Common: option.Common{Iterations: new(500001)},
			},
			1,
			[]string{"at most 500000 "},
		},
	} {
		_, err := plan.New(c.o, plan.JobFacts{Processes: c.world})
		if c.want == nil {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if _, ok := errors.AsType[*usage.Error](err); !ok {
			t.Errorf("%s: %v, want a usage error", c.name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q in it", c.name, err, want)
			}
		}
	}
}

func TestLimitsThatAreAllowed(t *testing.T) {
	b := func(n uint64) *uint64 { return new(n) }
	k := func(n uint64) *uint64 { return new(n << 10) }
	posix := []string{"posix"}
	for name, o := range map[string]plan.Options{
		"2^63-1 bytes": {
			Sizes: option.Sizes{
				BytesPerProcess: b(math.MaxInt64), BlockSize: b(7), MinTransferSize: b(7),
				MaxTransferSize: b(7),
			},
		},
		"chunk of 4 GiB - 1": {
			Sizes: option.Sizes{Chunked: true, BytesPerProcess: k(8 << 20), ChunkSize: []uint64{math.MaxUint32}},
		},
		"block of 4 GiB, without HDF5": {Sizes: option.Sizes{
			Chunked: true, BytesPerProcess: k(8 << 20),
			APIs: []string{"posix", "mpiio"},
		}},
		"chunk of the whole dataset": {Sizes: option.Sizes{Chunked: true, ChunkSize: []uint64{256 << 10}}},
		"as many samples as are kept": {
			Sizes:  option.Sizes{MinTransferSize: k(256), APIs: posix},
			Common: option.Common{Iterations: new(500000)},
		},
		"twice with writes only": {
			Sizes:  option.Sizes{MinTransferSize: k(256), APIs: posix},
			Common: option.Common{Iterations: new(1000000), WriteOnly: true},
		},
		"large numbers of small things": {Sizes: option.Sizes{Files: new(1 << 20), Datasets: new(1 << 20)}},
	} {
		if _, err := plan.New(o, plan.JobFacts{Processes: 1}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
