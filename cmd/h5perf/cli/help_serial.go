package cli

import (
	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
)

func serialHelpPage() (help.Page, error) {
	return toolHelpPage("serial", []kong.Group{
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
		Short: `Measure a file system from one process, without MPI. Data files go to $HDF5_PREFIX or the
current directory. SIZE is in bytes, or with K, M, G.`,
		About: `Measure a file system from one process, without MPI. The process writes a dataset of one or more
dimensions and reads it again, through POSIX and HDF5. The report shows throughputs in MB/s.
Here 1 MB is 2^20 bytes.

Each transfer moves a box that has the shape of the transfer buffer. The transfers follow the order of -r:
with -r 2,1 they cover all boxes along dimension 2, then take one step along dimension 1. POSIX moves a box
in the longest contiguous pieces of a row-major file. HDF5 moves it as one hyperslab.

SIZE is in bytes. The suffixes K, M, G, T and P multiply by powers of 1024: 37M is 38797312. A list has one
item for each dimension. The first one is the dimension that varies slowest in the file. Sizes that do not
fit are refused before any file is written.`,
		Sections: []help.Section{
			{
				Title: "Examples", Brief: true,
				Text: `  h5perf serial -e 1G -x 4M -i 6
      a dataset of 1 GiB in transfers of 4 MiB; 6 iterations
  h5perf serial -A hdf5 -v family --family-member 8M --json run.json
      HDF5 in files of 8 MiB; every sample is written to a document
`,
			},
			{
				Title: "More examples",
				Text: `  h5perf serial -e 4K,4K -x 64,512 -r 2,1 -A hdf5 -c 64,64 -t -D v
      4096 × 4096 bytes in boxes of 64 × 512, one row of boxes after the other;
      HDF5 chunks of 64 × 64; the dataset grows while it is written; the data
      are verified
`,
			},
			presetSection("-i 3, and -e 16M -x 1M.", " -e 1G -x 4M.", strictSweep("-x 4M."), ""),
			environmentSection("HDF5_PREFIX"),
			exitStatusSection(),
		},
	})
}
