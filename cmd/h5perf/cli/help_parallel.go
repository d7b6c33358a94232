package cli

import (
	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
)

func parallelHelp() (help.Page, error) {
	return toolPage("parallel", []kong.Group{
		{Key: "data", Title: "Data and access pattern"},
		{Key: "sweep", Title: "Sweep"},
		{Key: "api", Title: "APIs, MPI-IO and HDF5"},
		{Key: "driver", Title: "Settings of --driver subfiling"},
		{Key: "repeat", Title: "Iterations"},
		{Key: "trust", Title: "Conditions"},
		{Key: "output", Title: "Output"},
		{Key: "other", Title: "Other"},
	}, help.Page{
		Usage: []string{
			"h5perf [options]",
			"mpiexec -n N h5perf [options]",
			"h5perf serial [options]          one process, no MPI: h5perf serial --help",
			"h5perf COMMAND                   see Commands below, and h5perf COMMAND --help",
		},
		About: `Measures a file system the way HDF5 applications use it: the processes of the
job write datasets in a given pattern and read them again, through POSIX, MPI-IO
and parallel HDF5, for each number of processes and each transfer size. Prints a
report of throughputs in MB/s; here 1 MB is 2^20 bytes, and the slowest process
counts.

SIZE is in bytes; K, M, G, T, P multiply by powers of 1024: 37M is 38797312.
-B must divide -x, and -x must divide -e. In 2D -B must also divide -e, and -x
need only divide -e × processes. What does not fit is refused before any file is
made.
`,
		Sections: []help.Section{
			{
				Title: "Profiles set what is not given",
				Text: `  quick     Does it work, and about how fast? It takes seconds: --sync close,
            -i 3, and -e 4M -B 1M -x 1M -X 4M.
  standard  The least that is worth publishing. --sync close: data that are still
            in memory have not been written. --cold: a read of what was just
            written is a read of memory. --warmup 1: the first iteration pays for
            what is done once. --min-seconds 1s, and -i 6 at least: less has no
            interval. --order random: what drifts meanwhile favours no case.
            -e 64M -B 1M -x 1M -X 16M.
  strict    What a system is accepted by. As standard, and --memory-factor 2: a
            file that fits into memory may never leave it. --min-seconds 10s.
            --shift by the ranks of a node: each reads what another node wrote.
            -B 1M -x 4M -X 4M.
            A target in memory and an -e that makes smaller files are refused,
            and a read from the page cache is a failure.
Each measures with all processes alone unless -p is given. In 2D the sizes are
others, which the report shows.
`,
			},
			{
				Title: "Environment",
				Text: `  HDF5_PARAPREFIX    Directory for data files (default: the current one). With
                     USER, or else LOGIN, set: its subdirectory of that name.
                     The files go to a new directory therein, which is removed
                     when the run ends, however it ends.
  HDF5_NOCLEANUP     If set, data files are kept.
  HDF5_MPI_INFO      Hints for MPI-IO: key=value;key=value.
  H5PERF_RESULTS, H5PERF_LABEL, H5PERF_CLUSTER, H5PERF_FILESYSTEM,
  H5PERF_PUSHGATEWAY, H5PERF_TEXTFILE, H5PERF_STRIPE, H5PERF_DEADLINE,
  H5PERF_PROGRESS
                     Stand for the options of these names.
`,
			},
			{
				Title: "Examples",
				Text: `  mpiexec -n 4 h5perf -e 64M -x 1M -X 16M -B 1M -i 3
      4, 2 and 1 processes; transfers of 1, 2, 4, 8 and 16 MiB; three times each;
      all APIs
  mpiexec -n 4 h5perf -p 4 -A mpiio,phdf5 -C -I -e 64M -x 4M -X 4M -B 64K
      4 processes; interleaved blocks of 64 KiB, collective
  mpiexec -n 2 h5perf -p 2 -A phdf5 -gc -e 4K -B 1K -x 4K -X 4K -D v --json run.json
      a square of 8 KiB a side in chunks of 1 KiB a side, verified; every sample
      in a document
  mpiexec -n 4 h5perf --profile quick --label nightly --results results
      a quick look, kept in a tree of results
`,
			},
			{
				Title: "Exit status",
				Text: `  0    everything was measured
  1    something failed; it has an error in the report, and no figure
  2    wrong usage
  3    wrong launch, such as by another MPI's mpiexec
  143  ended by a signal
`,
			},
		},
	})
}
