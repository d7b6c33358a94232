package cli

import (
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/report"
	"h5perf/pkg/run"
)

// grammar is the grammar of both tools. Options of the parallel tool need no command before them.
type grammar struct {
	Parallel parallel `cmd:"" default:"withargs" hidden:""`
	Serial   serial   `cmd:"" hidden:""`
}

// Settings that engines declare.
type (
	hdf5  = option.HDF5
	mpiio = option.MPIIO
)

// common holds the options of both tools. The types in the tags are those of values.kong. The tag once marks what holds
// for one call alone: where its results go is never taken from a document. The tag brief is the text in the brief
// help, or empty where that is the same; an option without it is only in the whole help.
type common struct {
	NumIterations *int `short:"i" type:"count" group:"repeat" brief:"" help:"Iterations of each measurement (default ${iterations})."`
	option.Conditions
	Deadline    run.Deadline   `type:"deadline" env:"H5PERF_DEADLINE" placeholder:"TIME|DURATION" group:"repeat" once:"" help:"End the run by this time, with as many iterations of each case as fit. A time such as 2026-11-24T06:00:00Z, or a duration from the start such as 50m."`
	WriteOnly   bool           `short:"w" type:"flag" group:"data" help:"Write only. The default is to write, then to read."`
	Report      report.Form    `type:"word" group:"output" once:"" help:"Which results to print. c (default): a report in the format of the C tool of HDF5 on standard output, and the summary on standard error. summary: only the summary, on standard output. none: nothing."`
	Output      string         `short:"o" type:"word" placeholder:"FILE" group:"output" once:"" help:"Write the report in the format of the C tool to FILE (default: standard output)."`
	JSON        string         `name:"json" type:"document" placeholder:"FILE" group:"output" once:"" brief:"Write every sample to FILE, as JSON." help:"Write the document of the run, with every sample, to FILE. If FILE is -, write it to standard output in place of the report."`
	Results     string         `type:"word" env:"H5PERF_RESULTS" placeholder:"DIR" group:"output" once:"" brief:"Store that document in DIR, a tree of results." help:"Store the document in the tree of results at DIR, under a unique name."`
	Label       string         `type:"word" env:"H5PERF_LABEL" placeholder:"NAME" group:"output" help:"Name of the series that the run belongs to (default: a hash of the parameters)."`
	Cluster     string         `type:"word" env:"H5PERF_CLUSTER" placeholder:"NAME" group:"output" help:"Name of the cluster (default: the name that Slurm uses, or else the host)."`
	Filesystem  string         `type:"word" env:"H5PERF_FILESYSTEM" placeholder:"NAME" group:"output" help:"Name of the file system (default: its mount point)."`
	Pushgateway string         `type:"gateway" env:"H5PERF_PUSHGATEWAY" placeholder:"URL" group:"output" once:"" help:"Push the results to this Prometheus Pushgateway at the end of the run."`
	Textfile    string         `type:"textfile" env:"H5PERF_TEXTFILE" placeholder:"FILE" group:"output" once:"" help:"Write the results to FILE for the textfile collector of node_exporter."`
	Partial     bool           `type:"flag" group:"output" once:"" help:"If the run fails or is interrupted, --pushgateway and --textfile get the results that were measured until then."`
	Progress    *time.Duration `type:"duration" env:"H5PERF_PROGRESS" group:"output" once:"" help:"If standard error is not a terminal: print a line at the start, and a line about the progress at this interval (default 1m). 0 prints neither. A terminal shows a bar. Under a launcher, standard error is a pipe, so lines are printed."`
	Quiet       bool           `short:"q" type:"flag" group:"output" once:"" brief:"Print only errors and warnings on standard error." help:"On standard error, print only errors, and warnings that affect the meaning of the results. Do not print progress, notes or the summary."`
	Force       bool           `type:"flag" group:"output" once:"" help:"Let -o, --json and --textfile replace existing files. Without it, only empty files and files of h5perf are replaced."`
	Debug       debug          `short:"D" type:"debug" group:"output" help:"What the report adds: a level of detail, 0 to 4, and flags, separated by commas. r adds the throughput of the transfers alone, t adds times. v verifies the data that are read."`
	Stripe      string         `type:"stripe" env:"H5PERF_STRIPE" placeholder:"COUNT[,SIZE]" group:"trust" help:"Spread the data files over COUNT targets, in stripes of SIZE. For Lustre and BeeGFS; their own tools must be installed. On Lustre, -1 means all targets."`
	Help        bool           `short:"h" type:"flag" group:"other" once:"" brief:"Show this text (-h), or all options (--help)." help:"Print the most used options (-h), or all options (--help)."`
	Version     bool           `type:"flag" group:"other" once:"" help:"Print the version."`
}

// parallel holds the options of the parallel tool.
type parallel struct {
	NumBytes        *uint64       `short:"e" type:"size" group:"data" brief:"Bytes per process and dataset (default 256K)." help:"Bytes per process and dataset (default 256K). In 2D a dataset is a square. Its sides are SIZE × processes, and the default SIZE is 8K."`
	MinXferSize     *uint64       `short:"x" type:"size" group:"data" brief:"First transfer size (default: half of -e)." help:"Smallest size of a transfer (default: half of -e). The size is doubled up to -X."`
	MaxXferSize     *uint64       `short:"X" type:"size" group:"data" brief:"Last transfer size (default: -e)." help:"Largest size of a transfer (default: -e)."`
	BlockSize       *uint64       `short:"B" type:"size" group:"data" brief:"Block size (default: half of -e, if it fits)." help:"Size of a block. The default is half of -e. If that does not fit the other sizes, the largest size that fits is used, and a note says so. A transfer consists of one or more blocks."`
	Geometry        bool          `short:"g" type:"flag" group:"data" help:"Use 2D datasets: blocks are squares with sides of -B, transfers have -B × -x bytes. The default is 1D."`
	Interleaved     bool          `short:"I" type:"flag" group:"data" help:"Interleave the blocks of the processes in the file. By default each process has one contiguous region."`
	Chunk           bool          `short:"c" type:"flag" group:"data" help:"Use chunked layout; in 2D, POSIX and MPI-IO files imitate it. The default is contiguous layout."`
	ChunkSize       []uint64      `type:"sizes" group:"data" help:"Size of an HDF5 chunk: one size, or rows,columns in 2D (default: a block). Needs -c."`
	NumDsets        *int          `short:"d" type:"count" group:"data" help:"Number of datasets per file (default 1)."`
	NumFiles        *int          `short:"F" type:"count" group:"data" help:"Number of files (default 1). They are measured one after the other."`
	FilesPerProcess bool          `type:"flag" group:"data" help:"Each process has a file of its own, with its part of the datasets. HDF5 then uses its serial file driver, and MPI-IO MPI_COMM_SELF. -F is the number of files of each process."`
	Create          option.Create `type:"word" group:"data" help:"Which processes create a file. all (default): all together. first: the first one alone, with its datasets and the serial file driver of HDF5; then all processes open it."`
	MinNumProcesses *int          `short:"p" type:"count" group:"sweep" brief:"Smallest number of processes (default 1)." help:"Smallest number of processes (default 1)."`
	MaxNumProcesses *int          `short:"P" type:"count" group:"sweep" brief:"Largest number of processes (default: all)." help:"Largest number of processes (default: all of the job). The number is halved down to -p."`
	API             []string      `name:"api" short:"A" type:"list" group:"api" brief:"" help:"APIs: ${parallel_apis}."`
	Collective      bool          `short:"C" type:"flag" group:"api" brief:"Collective access (default: independent)." help:"Use collective access with mpiio and phdf5. The default is independent access."`
	mpiio
	option.ParallelOptions
	hdf5 `set:"sieve_default=; HDF5 does not use it with MPI-IO"`
	common
	CaseOrder option.Order  `name:"order" type:"word" group:"repeat" help:"Order of the cases. given (default): all iterations of a case, then the next case. random: each iteration measures the cases in another order, so that changes of the load affect all cases alike."`
	Shift     *int          `type:"integer" placeholder:"N" group:"trust" help:"Rank r reads what rank r+N has written (default 0). If N is the number of ranks per node, each rank reads data of another node."`
	Spread    option.Spread `type:"word" group:"sweep" help:"Which processes take part in a case that does not use all processes of the job. ranks (default): the lowest ranks. If ranks are placed in blocks, half of the processes are on half of the nodes. nodes: the same number on every node, as far as possible, so that all nodes take part."`
}

// serial holds the options of the serial tool.
type serial struct {
	NumBytes    []uint64 `short:"e" type:"sizes" placeholder:"SIZE,..." group:"data" brief:"Size of the dataset, per dimension (default 16M)." help:"Size of the dataset in each dimension, up to 32 dimensions (default 16M)."`
	MinXferSize []uint64 `short:"x" type:"sizes" placeholder:"SIZE,..." group:"data" brief:"Size of a transfer, per dimension (default 256K)." help:"Size of a transfer in each dimension (default 256K, in one dimension). It must divide the size of the dataset."`
	Order       orders   `short:"r" type:"order" group:"data" brief:"Order of the dimensions, or of the APIs." help:"Order of the dimensions, which are numbered from 1 (default 1,2,...): transfers move along the first dimension of the list first. Or the order of the APIs. given (default): all iterations of an API, then the next API. random: each iteration measures the APIs in another order, so that changes of the load affect all APIs alike. To set both, give the option twice."`
	Chunk       []uint64 `short:"c" type:"sizes" placeholder:"SIZE,..." group:"data" brief:"Size of an HDF5 chunk, per dimension." help:"Use chunked layout in HDF5, with chunks of this size in each dimension. The default is contiguous layout."`
	Extendible  bool     `short:"t" aliases:"extendable" type:"flag" group:"data" help:"Let HDF5 begin with a dataset of one transfer, and extend it while it is written. Needs -c. The default is a fixed size."`
	API         []string `name:"api" short:"A" type:"list" group:"api" brief:"" help:"APIs to measure: ${serial_apis}."`
	option.SerialOptions
	hdf5 `set:"sieve_default="`
	common
}

// orders is the value of -r of the serial tool.
type orders struct {
	dimensions []int
	cases      option.Order
}

// Values implements result.Enumerated.
func (orders) Values() []string { return append([]string{"N,..."}, option.Order("").Values()...) }

// debug is the value of -D.
type debug struct {
	report report.Options
	verify bool
}
