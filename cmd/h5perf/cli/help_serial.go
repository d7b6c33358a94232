package cli

import (
	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
)

func serialHelp() (help.Page, error) {
	return toolPage("serial", []kong.Group{
		{Key: "data", Title: "Data and access pattern"},
		{Key: "api", Title: "APIs and HDF5"},
		{Key: "driver", Title: "Settings of HDF5 file drivers"},
		{Key: "repeat", Title: "Iterations"},
		{Key: "trust", Title: "Conditions"},
		{Key: "output", Title: "Output"},
		{Key: "other", Title: "Other"},
	}, help.Page{
		Usage: []string{
			"h5perf serial [options]",
			"h5perf_serial [options]",
		},
		About: `Measures a file system from one process, without MPI: writes a dataset of one or
more dimensions and reads it again, through POSIX and HDF5. Prints a report of
throughputs in MB/s; here 1 MB is 2^20 bytes.

Each transfer moves a box of the shape of the transfer buffer. The walk goes over
the dataset in the order of -r: with -r 2,1 it takes all boxes along dimension 2
before it goes one step along dimension 1. POSIX moves a box in the longest runs
that a row-major file allows, HDF5 as one hyperslab.

SIZE is in bytes; K, M, G, T, P multiply by powers of 1024: 37M is 38797312.
Lists have one entry for each dimension, the slowest in the file first. What does
not fit is refused before any file is made.
`,
		Sections: []help.Section{
			{
				Title: "Profiles set what is not given",
				Text: `  quick     Does it work, and about how fast? It takes seconds: --sync close,
            -i 3, and -e 16M -x 1M.
  standard  The least that is worth publishing. --sync close: data that are still
            in memory have not been written. --cold: a read of what was just
            written is a read of memory. --warmup 1: the first iteration pays for
            what is done once. --min-seconds 1s, and -i 6 at least: less has no
            interval. --order random: what drifts meanwhile favours no case.
            -e 1G -x 4M.
  strict    What a system is accepted by. As standard, and --memory-factor 2: a
            file that fits into memory may never leave it. --min-seconds 10s.
            -x 4M.
            A target in memory and an -e that makes smaller files are refused,
            and a read from the page cache is a failure.
`,
			},
			{
				Title: "Environment",
				Text: `  HDF5_PREFIX       Directory for data files (default: the current one). With
                    USER, or else LOGIN, set: its subdirectory of that name.
                    The files go to a new directory therein, which is removed
                    when the run ends, however it ends.
  HDF5_NOCLEANUP    If set, data files are kept.
  H5PERF_RESULTS, H5PERF_LABEL, H5PERF_CLUSTER, H5PERF_FILESYSTEM,
  H5PERF_PUSHGATEWAY, H5PERF_TEXTFILE, H5PERF_STRIPE, H5PERF_DEADLINE,
  H5PERF_PROGRESS
                    Stand for the options of these names.
`,
			},
			{
				Title: "Examples",
				Text: `  h5perf serial -e 1G -x 4M -i 6
      a dataset of 1 GiB in transfers of 4 MiB, six times
  h5perf serial -e 4K,4K -x 64,512 -r 2,1 -A hdf5 -c 64,64 -t -D v
      4096 × 4096 bytes in boxes of 64 × 512, row by row of boxes; HDF5 chunks of
      64 × 64; the dataset grows as it is written, and is verified
  h5perf serial -A hdf5 -v family --family-member 8M --json run.json
      HDF5 in files of 8 MiB; every sample in a document
`,
			},
			{
				Title: "Exit status",
				Text: `  0    everything was measured
  1    something failed; it has an error in the report, and no figure
  2    wrong usage
  143  ended by a signal
`,
			},
		},
	})
}
