package plan

import (
	"time"

	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/engine/mpiio/mpiioconf"
	"h5perf/pkg/result"
)

// Options are the options of the parallel tool as parsed; nil means not given.
type Options struct {
	APIs            []string // of APIs, in any case and order; empty is all
	BytesPerProcess *uint64  // 0 means default, as in the C tool
	Block           *uint64
	MinTransfer     *uint64
	MaxTransfer     *uint64
	MinProcesses    *int
	MaxProcesses    *int
	Iterations      *int
	Files           *int
	Datasets        *int
	TwoD            bool
	Interleaved     bool
	Collective      bool
	Chunked         bool
	ChunkSize       []uint64 // extent of an HDF5 chunk: one value (a side, in 2D of a square) or one per dimension
	WriteOnly       bool
	Verify          bool
	HDF5            hdf5conf.Settings
	MPIPosix        bool // -m, the file driver mpiposix
	MPIIO           mpiioconf.Settings
	MPIInfo         *string // HDF5_MPI_INFO: hints, overridden by those of MPIIO
	Conditions      Conditions
}

// SerialOptions are the options of the serial tool as parsed; nil means not given.
type SerialOptions struct {
	APIs       []string // of SerialAPIs, in any case and order; empty is all
	Dataset    []uint64 // extent in each dimension
	Buffer     []uint64
	Chunk      []uint64
	Order      []int // dimensions from 1, the one that the walk goes along first in front
	Extendible bool
	Iterations *int
	WriteOnly  bool
	HDF5       hdf5conf.Settings
	Verify     bool
	Conditions Conditions
}

// Conditions are the options of both tools that the C tools do not have; nil and "" mean not given. A field is a row: its
// tags name it on the command line (those of kong). The fields of result.Conditions say what each does. The option for
// the order differs between the tools, and only the parallel tool has one for the shift.
type Conditions struct {
	Profile       result.Profile `type:"word" group:"trust" help:"Set conditions and sizes together, see below; options beside it count."`
	Sync          result.Sync    `type:"word" group:"trust" help:"Make written data durable before a file is closed, after the transfers of each dataset, or after each transfer, by a clock of its own (default none: what is timed may still be in memory)."`
	Direct        bool           `type:"flag" group:"trust" help:"posix with O_DIRECT, past the page cache; needs -A posix and sizes that are multiples of 512."`
	Cold          bool           `type:"flag" group:"trust" help:"Drop files from the page cache of the nodes before they are read. Caches of servers are out of reach."`
	MemoryFactor  *float64       `type:"ratio" placeholder:"FACTOR" group:"trust" help:"Make each file at least FACTOR times as large as the memory of the nodes, unless -e is given."`
	Data          Data           `type:"word" group:"trust" help:"What is written: words that tell their place (default), random ones, zeros, or what shrinks to 1/RATIO when it is compressed, for storage that does that."`
	Keep          bool           `type:"flag" group:"trust" help:"Keep the data files."`
	ReadOnly      string         `type:"word" placeholder:"FILE" group:"trust" help:"Read this file, which a run with --keep wrote, and write none: write tonight, read from other nodes tomorrow."`
	Latency       bool           `type:"flag" group:"trust" help:"Time each data call."`
	Timeout       *time.Duration `type:"duration" group:"trust" help:"Take a call that lasts longer than DURATION for hanging, and end the run; 0 is never (default 10m)."`
	SpaceCheck    Switch         `type:"word" group:"trust" help:"Refuse a run that needs more than is free on the file system (default on)."`
	Warmup        *int           `type:"count" group:"repeat" help:"Iterations before those that count (default 0)."`
	MinTime       *time.Duration `name:"min-seconds" type:"duration" group:"repeat" help:"Iterate until each case was measured for DURATION in each direction."`
	RepeatUntil   *float64       `type:"ratio" placeholder:"WIDTH" group:"repeat" help:"Iterate until the interval of the median is at most WIDTH of it wide, such as 2% or 0.02."`
	MaxIterations *int           `type:"count" group:"repeat" help:"Cap for both (default 100); -i is the smallest number then (default 5)."`
	TimeLimit     *time.Duration `type:"duration" group:"repeat" help:"End the transfers of a phase after DURATION: all processes go on to the largest number of transfers that any has done."`
	Seed          *uint64        `type:"seed" placeholder:"N" group:"repeat" help:"Seed of the random order (default: by chance; the document has it)."`

	Order result.Order `kong:"-"`
	Shift *int         `kong:"-"` // ranks; any integer
}

// defaultTimeout is longer than calls to a busy file system take.
const defaultTimeout = 10 * time.Minute

// Hang returns how long a call may last before it is taken for hanging; 0 means that no call is.
func (c Conditions) Hang() time.Duration {
	if c.Timeout == nil {
		return defaultTimeout
	}
	return *c.Timeout
}

// open reports whether the number of iterations is found during the run.
func (c Conditions) open() bool { return c.RepeatUntil != nil || c.MinTime != nil }

// Switch is an option that is on or off.
type Switch string

// The positions of a switch.
const (
	On  Switch = "on"
	Off Switch = "off"
)

// Values implements result.Enumerated.
func (Switch) Values() []string { return []string{string(On), string(Off)} }
