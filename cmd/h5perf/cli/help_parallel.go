package cli

import (
	"github.com/alecthomas/kong"

	"h5perf/cmd/h5perf/cli/help"
)

func parallelHelpPage() (help.Page, error) {
	return toolHelpPage("parallel", []kong.Group{
		{Key: "data", Title: "Data and access pattern"},
		{Key: "sweep", Title: "Numbers of processes"},
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
			"h5perf serial [options]       one process, no MPI: see 'h5perf serial -h'",
			"h5perf COMMAND                see Commands, and 'h5perf COMMAND -h'",
		},
		Short: `Measure a file system the way HDF5 applications use it. Data files go to $HDF5_PARAPREFIX or
the current directory. SIZE is in bytes, or with K, M, G.`,
		About: `Measure a file system the way HDF5 applications use it. The processes of the job write datasets
in a given pattern and read them again, through POSIX, MPI-IO and parallel HDF5. This is done
for each number of processes and for each transfer size. The report has the format of the tool
h5perf in HDF5, which this help calls the C tool. It shows throughputs in MB/s. Here 1 MB is
2^20 bytes, and the time is that of the slowest process.

SIZE is in bytes. The suffixes K, M, G, T and P multiply by powers of 1024: 37M is 38797312. -x must be a
multiple of -B, and -e must be a multiple of -x. In 2D, -e must be a multiple of -B, and -e × processes must
be a multiple of -x. Sizes that do not fit are refused before any file is written.`,
		Sections: []help.Section{
			{
				Title: "Examples", Brief: true,
				Text: `  mpiexec -n 4 h5perf --preset quick --label nightly --results results
      a quick look, stored in a tree of results
  mpiexec -n 4 h5perf -e 64M -x 1M -X 16M -B 1M -i 3
      4, 2 and 1 processes; transfers of 1 to 16 MiB; all APIs; 3 iterations
`,
			},
			{
				Title: "More examples",
				Text: `  mpiexec -n 4 h5perf -p 4 -A mpiio,phdf5 -C -I -e 64M -x 4M -X 4M -B 64K
      4 processes; interleaved blocks of 64 KiB, collective access
  mpiexec -n 2 h5perf -p 2 -A phdf5 -gc -e 4K -B 1K -x 4K -X 4K -D v --json run.json
      a square of 8 KiB × 8 KiB in chunks of 1 KiB × 1 KiB; the data are
      verified, and every sample is written to a document
`,
			},
			presetSection("-i 3, and -e 4M -B 1M -x 1M -X 4M.", " -e 64M -B 1M -x 1M -X 16M.",
				strictSweep(strictShift+" -B 1M -x 4M -X 4M."),
				"  Every preset uses all processes of the job, unless -p is given. In 2D it uses other sizes,\n"+
					"  which the report shows.\n"),
			environmentSection("HDF5_PARAPREFIX", help.Argument{
				Shown: "HDF5_MPI_INFO", Text: "Hints for MPI-IO: key=value;key=value.",
			}),
			exitStatusSection(help.Argument{
				Shown: "3",
				Text:  "Wrong launch, for example by the mpiexec of another MPI.",
			}),
		},
	})
}

// strictShift explains the shift of the strict preset.
const strictShift = "--shift is the number of ranks of a node: each rank reads what another node wrote."

// strictSweep explains how the strict preset differs from standard in a sweep. sizes are the options that differ
// between the tools.
func strictSweep(sizes string) string {
	return "--memory-factor 2: the files do not fit into memory. " + sizes + " The run is refused if the directory " +
		"is on tmpfs, or if -e is too small for files of this size."
}

// workloadPresetSection returns the help section about presets of workloads. quick says how often quick measures.
func workloadPresetSection(quick string) help.Section {
	return presetSection(quick, "", strictShift+" The run is refused if the directory is on tmpfs. A caution says if "+
		"the files may fit into memory.", "  No preset changes the sizes of the workload.\n")
}

// presetSection returns the help section about presets. quick, standard and strict are the parts that differ between
// the tools. note follows the presets.
func presetSection(quick, standard, strict, note string) help.Section {
	return help.Section{
		Title: "Presets: predefined sets of options. Other options take precedence",
		Arguments: []help.Argument{
			{Shown: "quick", Text: "Does it work, and about how fast? It takes seconds. --sync close, " + quick},
			{
				Shown: "standard",
				Text: "The minimum for results that are published. --sync close: the time includes making the data " +
					"durable. --cold: data that were just written are not read from the page cache. --warmup 1: the " +
					"first iteration, which is often slower, does not count. --min-seconds 1s, and at least -i 6: a " +
					"confidence interval needs at least 6 samples. --order random: changes of the load affect all " +
					"cases alike." + standard,
			},
			{
				Shown: "strict",
				Text: "For acceptance tests. The same as standard, with these changes. --min-seconds 10s. " + strict +
					" Reads from the page cache are errors, and so are reads of which that is unknown.",
			},
		},
		Text: note,
	}
}

// environmentSection returns the help section about environment variables. prefix is the name of the environment
// variable that names the directory for data files.
func environmentSection(prefix string, more ...help.Argument) help.Section {
	all := []help.Argument{
		{
			Shown: prefix,
			Text: "Directory for data files (default: the current directory). If the variable USER or LOGIN is set, " +
				"its value is the name of a subdirectory, which is used instead. The run makes a new directory " +
				"there for its files, and removes it at the end.",
		},
		{Shown: noCleanupVariable, Text: "If set, data files are kept."},
	}
	return help.Section{
		Title: "Environment", Arguments: append(append(all, more...), help.Argument{
			Shown: "H5PERF_...",
			Text: "H5PERF_RESULTS, H5PERF_LABEL, H5PERF_CLUSTER, H5PERF_FILESYSTEM, H5PERF_PUSHGATEWAY, " +
				"H5PERF_TEXTFILE, H5PERF_STRIPE, H5PERF_DEADLINE and H5PERF_PROGRESS set the options of the same " +
				"names.",
		}),
	}
}

func exitStatusSection(more ...help.Argument) help.Section {
	all := []help.Argument{
		{Shown: "0", Text: "Everything was measured."},
		{Shown: "1", Text: "Something failed. The report shows an error in place of a throughput."},
		{Shown: "2", Text: "Wrong usage."},
	}
	return help.Section{
		Title:     "Exit status",
		Arguments: append(append(all, more...), help.Argument{Shown: "143", Text: "A signal ended the run."}),
	}
}
