package cli

import (
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/report"
	"h5perf/pkg/run"
)

// grammar describes the command lines of both tools for kong. The parallel tool is the default: its options need no
// command before them.
type grammar struct {
	parallelGrammar
	serialGrammar
}

// parallelGrammar and serialGrammar describe the command line of one tool. To make a parser takes milliseconds, so a
// tool makes that of its own options only.
type (
	parallelGrammar struct {
		Parallel parallelOptions `cmd:"" default:"withargs" hidden:""`
	}
	serialGrammar struct {
		Serial serialOptions `cmd:"" hidden:""`
	}
)

// Options of the HDF5 engine and of the MPI-IO engine.
type (
	hdf5  = option.HDF5
	mpiio = option.MPIIO
)

// sharedOptions holds the options of both tools. The values of the tag type are the names in optionValues.kongOptions.
// The tag once marks options of a single call, such as the paths of results: a rerun never takes them from a document.
// The tag brief is the text of the option in the brief help. If brief is empty, the brief help shows the text of the
// tag help. Options without the tag brief are only in the whole help.
type sharedOptions struct {
	option.Common
	With        []string       `type:"hdf5-setting" group:"api" help:"Set an HDF5 setting, such as small-data-block=1M. 'h5perf settings' lists all of them. Give the option once for each setting."`
	Sweep       []string       `type:"swept" placeholder:"NAME[=V,V]" group:"repeat" help:"Measure all these values of an option, a setting of HDF5, a hint, or a size or choice of a workload. Each value makes cases of the run. Without values: all words of a choice, or the default of an HDF5 setting and values that may make a difference. If the option is given several times, all combinations are measured."`
	Deadline    run.Deadline   `type:"deadline" env:"H5PERF_DEADLINE" placeholder:"TIME|DURATION" group:"repeat" once:"" help:"End the run by this time, with as many iterations of each case as the time allows. A time such as 2026-11-24T06:00:00Z, or a duration from the start such as 50m."`
	Report      report.Form    `type:"word" group:"output" once:"" help:"Which results to print. c (default): a report in the format of the C tool of HDF5 on standard output, and the summary on standard error. summary: only the summary, on standard output. none: nothing."`
	Output      string         `short:"o" type:"word" placeholder:"FILE" group:"output" once:"" help:"Write the report in the format of the C tool to FILE (default: standard output)."`
	JSON        string         `name:"json" type:"document" placeholder:"FILE" group:"output" once:"" brief:"Write every sample to FILE, as JSON." help:"Write the document of the run, with every sample, to FILE. If FILE is -, write it to standard output in place of the report."`
	Results     string         `type:"word" env:"H5PERF_RESULTS" placeholder:"DIR" group:"output" once:"" brief:"Store every sample in DIR, a tree of results." help:"Store the document in the tree of results at DIR, under a unique name."`
	Label       string         `type:"word" env:"H5PERF_LABEL" placeholder:"NAME" group:"output" help:"Name of the series that the run belongs to (default: a hash of the parameters). Of several configurations in turns, each has its letter added, such as NAME-A."`
	Cluster     string         `type:"word" env:"H5PERF_CLUSTER" placeholder:"NAME" group:"output" help:"Name of the cluster (default: the name that Slurm uses, or else the host)."`
	Filesystem  string         `type:"word" env:"H5PERF_FILESYSTEM" placeholder:"NAME" group:"output" help:"Name of the file system (default: its mount point)."`
	Pushgateway string         `type:"gateway" env:"H5PERF_PUSHGATEWAY" placeholder:"URL" group:"output" once:"" help:"Push the results to this Prometheus Pushgateway at the end of the run."`
	Textfile    string         `type:"textfile" env:"H5PERF_TEXTFILE" placeholder:"FILE" group:"output" once:"" help:"Write the results to FILE for the textfile collector of node_exporter."`
	Partial     bool           `type:"flag" group:"output" once:"" help:"If the run fails or is interrupted, --pushgateway and --textfile get the results that were measured until then."`
	Progress    *time.Duration `type:"duration" env:"H5PERF_PROGRESS" group:"output" once:"" help:"If standard error is not a terminal: print a line at the start, and a line about the progress at this interval. By default, the first of these lines comes after 5 seconds, and the interval grows to a minute. 0 prints neither. A terminal shows a bar. Under a launcher, standard error is a pipe, so lines are printed."`
	Quiet       bool           `short:"q" type:"flag" group:"output" once:"" help:"On standard error, print only errors, and cautions: warnings that affect whether the results can be trusted. Do not print progress, notes or the summary."`
	Force       bool           `type:"flag" group:"output" once:"" help:"Let -o, --json and --textfile replace existing files. Without it, h5perf only replaces empty files and files that it wrote itself."`
	Debug       debugOptions   `short:"D" type:"debug" group:"output" help:"Extra output in the report: a level of detail from 0 (least) to 4 (most), and flags, separated by commas. r: the throughput of the transfers alone. t: times. v: verify the data that are read."`
	Stripe      string         `type:"stripe" env:"H5PERF_STRIPE" placeholder:"COUNT[,SIZE]" group:"trust" help:"Spread the data files over COUNT targets, in stripes of SIZE. For Lustre and BeeGFS; the command-line tools of the file system must be installed. On Lustre, -1 means all targets."`
	Help        bool           `short:"h" type:"flag" group:"other" once:"" brief:"Show this text (-h), or all options (--help)." help:"Print the most used options (-h), or all options (--help)."`
	Version     bool           `type:"flag" group:"other" once:"" help:"Print the version."`
}

// mpiOptions holds the options of the parallel tool and of run, which use MPI.
type mpiOptions struct {
	mpiio
	option.ParallelOptions
	hdf5 `set:"sieve_default=; HDF5 does not use it with MPI-IO"`
	sharedOptions
	Shift *int `type:"integer" placeholder:"N" group:"trust" help:"Rank r reads what rank r+N has written (default 0). If N is the number of ranks per node, each rank reads data of another node, which are not in the page cache of its own node."`
}

type parallelOptions struct {
	option.Sizes
	mpiOptions
	CaseOrder option.CaseOrder     `name:"order" type:"word" group:"repeat" help:"Order of the cases. given (default): all iterations of a case, then the next case. random: each iteration measures the cases in another order, so that changes of the load affect all cases alike."`
	Spread    option.ProcessSpread `type:"word" group:"sweep" help:"Which processes take part in a case that does not use all processes of the job. ranks (default): the lowest ranks. If ranks are placed in blocks, half of the processes are on half of the nodes. nodes: the same number on every node, as far as possible, so that all nodes take part."`
}

type serialOptions struct {
	option.SerialSizes
	option.SerialOptions
	hdf5 `set:"sieve_default="`
	sharedOptions
}

// debugOptions is the value of the option -D.
type debugOptions struct {
	report report.CReportOptions
	verify bool
}

// noCleanupVariable is the environment variable that keeps data files, whatever its value.
const noCleanupVariable = "HDF5_NOCLEANUP"

// shared returns the options that all tools have.
func (c sharedOptions) shared() sharedOptions { return c }

// commonOptions returns the options that all kinds of runs share, with the given order of cases. Data files are also
// kept if the environment variable noCleanupVariable is set.
func (c sharedOptions) commonOptions(order option.CaseOrder, lookup func(string) (string, bool)) option.Common {
	given := c.Common
	given.Order = order
	if _, set := lookup(noCleanupVariable); set {
		given.Keep = true
	}
	return given
}
