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
	KeepFiles       bool
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
	KeepFiles  bool
	Conditions Conditions
}

// Conditions are the options of both tools that the C tools do not have; nil and "" mean not given. The fields of
// result.Conditions say what each does.
type Conditions struct {
	Sync          result.Sync
	Direct        bool
	Cold          bool
	Shift         *int // ranks; any integer
	Warmup        *int
	RepeatUntil   *float64 // a ratio: 0.02 is ± 1 % of the median
	MinTime       *time.Duration
	MaxIterations *int
	Order         result.Order
	Seed          *uint64
	TimeLimit     *time.Duration
	Latency       bool
	Data          Data
	ReadOnly      string // path of a file that another run kept
	Profile       result.Profile
	MemoryFactor  *float64
	Timeout       *time.Duration
	SpaceCheck    Switch
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
