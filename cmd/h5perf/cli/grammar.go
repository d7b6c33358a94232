package cli

import (
	"time"

	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/engine/mpiio/mpiioconf"
	"h5perf/pkg/plan"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
)

// grammar is the grammar of both tools. Options of the parallel tool need no command before them.
type grammar struct {
	Parallel parallel `cmd:"" default:"withargs" hidden:""`
	Serial   serial   `cmd:"" hidden:""`
}

// Settings that engines declare.
type (
	hdf5  = hdf5conf.Settings
	mpiio = mpiioconf.Settings
)

// common holds the options of both tools. The types in the tags are those of values.kong. The tag once marks what holds
// for one call alone: where its results go is never taken from a document.
type common struct {
	NumIterations *int `short:"i" type:"count" group:"repeat" help:"Iterations of each measurement (default 1)."`
	plan.Conditions
	Deadline    run.Deadline  `type:"deadline" env:"H5PERF_DEADLINE" placeholder:"TIME|DURATION" group:"repeat" once:"" help:"End the run by then, with as many iterations of each case as fit: a time such as 2026-11-24T06:00:00Z, or a duration from the start on such as 50m."`
	WriteOnly   bool          `short:"w" type:"flag" group:"data" help:"Write only. The default is to write, then to read."`
	Report      report.Form   `type:"word" group:"output" once:"" help:"What to print of the results: c, the text of the C tool, and the summary on standard error (default); summary, the summary alone, on standard output; none, nothing."`
	Output      string        `short:"o" type:"word" placeholder:"FILE" group:"output" once:"" help:"Write the text of the C tool to FILE. The default is standard output."`
	JSON        string        `name:"json" type:"document" placeholder:"FILE" group:"output" once:"" help:"Write the document of the run, with every sample, to FILE; with - to standard output, instead of the report."`
	Results     string        `type:"word" env:"H5PERF_RESULTS" placeholder:"DIR" group:"output" once:"" help:"Store the document in the tree of results at DIR, under a name of its own."`
	Label       string        `type:"word" env:"H5PERF_LABEL" placeholder:"NAME" group:"output" help:"Name of the series that the run belongs to (default: a hash of the parameters)."`
	Cluster     string        `type:"word" env:"H5PERF_CLUSTER" placeholder:"NAME" group:"output" help:"Name of the cluster (default: that of Slurm, else the host)."`
	Filesystem  string        `type:"word" env:"H5PERF_FILESYSTEM" placeholder:"NAME" group:"output" help:"Name of the file system (default: its mount point)."`
	Pushgateway string        `type:"gateway" env:"H5PERF_PUSHGATEWAY" placeholder:"URL" group:"output" once:"" help:"Push the results to this Prometheus Pushgateway when the run ends."`
	Textfile    string        `type:"textfile" env:"H5PERF_TEXTFILE" placeholder:"FILE" group:"output" once:"" help:"Write the results to FILE for the textfile collector of node_exporter."`
	Partial     bool          `type:"flag" group:"output" once:"" help:"Also push and write, as metrics, the figures of a run that failed or was interrupted."`
	Progress    time.Duration `type:"duration" env:"H5PERF_PROGRESS" group:"output" once:"" help:"Where standard error is no terminal, print a line each DURATION on how far the run is (default: none)."`
	Force       bool          `type:"flag" group:"output" once:"" help:"Let -o, --json and --textfile replace whatever file is there. Without it, none is replaced but an empty one and one that h5perf made."`
	Debug       debug         `short:"D" type:"debug" group:"output" help:"Level 0 to 4, and flags, separated by commas: r raw data throughput, t times, v verify the data."`
	Stripe      string        `type:"stripe" env:"H5PERF_STRIPE" placeholder:"COUNT[,SIZE]" group:"trust" help:"Spread the data files of this run over COUNT targets, in stripes of SIZE: Lustre and BeeGFS only, by their own tools. -1 is all targets of Lustre."`
	Help        bool          `short:"h" type:"flag" group:"other" once:"" help:"Print this text."`
	Version     bool          `type:"flag" group:"other" once:"" help:"Print the version."`
}

// parallel holds the options of the parallel tool.
type parallel struct {
	NumBytes        *uint64  `short:"e" type:"size" group:"data" help:"Bytes per process per dataset (default 256K). In 2D a dataset is a square of side SIZE × processes (default 8K)."`
	MinXferSize     *uint64  `short:"x" type:"size" group:"data" help:"First size of the transfer buffer (default half of -e); it doubles up to -X."`
	MaxXferSize     *uint64  `short:"X" type:"size" group:"data" help:"Last size of the transfer buffer (default -e)."`
	BlockSize       *uint64  `short:"B" type:"size" group:"data" help:"Size of a block, the piece that a transfer buffer consists of (default half of -e)."`
	Geometry        bool     `short:"g" type:"flag" group:"data" help:"2D: blocks are squares of side -B, transfer buffers -B × -x bytes. The default is 1D."`
	Interleaved     bool     `short:"I" type:"flag" group:"data" help:"Processes take turns block by block. The default is one contiguous region each."`
	Chunk           bool     `short:"c" type:"flag" group:"data" help:"Chunked layout; in 2D plain files emulate it. The default is contiguous layout."`
	ChunkSize       []uint64 `type:"sizes" group:"data" help:"Extent of an HDF5 chunk: one size, or in 2D rows,columns (default: a block). Needs -c."`
	NumDsets        *int     `short:"d" type:"count" group:"data" help:"Datasets per file (default 1)."`
	NumFiles        *int     `short:"F" type:"count" group:"data" help:"Files (default 1), one after the other."`
	MinNumProcesses *int     `short:"p" type:"count" group:"sweep" help:"Smallest number of processes (default 1)."`
	MaxNumProcesses *int     `short:"P" type:"count" group:"sweep" help:"Largest number of processes (default: all of the job); it halves down to -p."`
	API             []string `name:"api" short:"A" type:"list" group:"api" help:"APIs to measure, of ${parallel_apis}."`
	Collective      bool     `short:"C" type:"flag" group:"api" help:"Collective access through mpiio and phdf5. The default is independent."`
	mpiio
	hdf5conf.ParallelOptions
	hdf5 `set:"sieve_default=; through MPI-IO there is none"`
	common
	CaseOrder result.Order `name:"order" type:"word" group:"repeat" help:"Order of the cases; random is another one in every iteration, so that drift favours none (default given)."`
	Shift     *int         `type:"integer" placeholder:"N" group:"trust" help:"Rank r reads what rank r+N wrote (default 0), with N ranks on a node what another node wrote."`
}

// serial holds the options of the serial tool.
type serial struct {
	NumBytes    []uint64 `short:"e" type:"sizes" placeholder:"SIZE,..." group:"data" help:"Extent of the dataset in each dimension, up to 32 (default 16M)."`
	MinXferSize []uint64 `short:"x" type:"sizes" placeholder:"SIZE,..." group:"data" help:"Extent of the transfer buffer; must divide that of the dataset in each dimension (default 256K, in one dimension)."`
	Order       orders   `short:"r" type:"order" group:"data" help:"Order of the dimensions, from 1: the walk goes along the first of them first (default 1,2,...). Or the order of the APIs: random is another one in every iteration, so that drift favours none (default given). May be given for both."`
	Chunk       []uint64 `short:"c" type:"sizes" placeholder:"SIZE,..." group:"data" help:"Chunked layout in HDF5, with chunks of this extent. The default is contiguous layout."`
	Extendible  bool     `short:"t" aliases:"extendable" type:"flag" group:"data" help:"HDF5 begins with a dataset of one transfer buffer, and extends it as it is written; needs -c. The default is a fixed size."`
	API         []string `name:"api" short:"A" type:"list" group:"api" help:"APIs to measure, of ${serial_apis}."`
	hdf5conf.SerialOptions
	hdf5 `set:"sieve_default="`
	common
}

// orders is the value of -r of the serial tool.
type orders struct {
	dimensions []int
	cases      result.Order
}

// Values implements result.Enumerated.
func (orders) Values() []string { return append([]string{"N,..."}, result.Order("").Values()...) }

// debug is the value of -D.
type debug struct {
	report report.Options
	verify bool
}
