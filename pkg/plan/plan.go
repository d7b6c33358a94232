// Package plan turns the options of a run into what will be done: steps, cases, bytes, and the part of each process. It
// refuses what cannot be done before any file exists, and says what it adjusted.
package plan

import (
	"h5perf/pkg/engine"
	"h5perf/pkg/pattern"
	"h5perf/pkg/result"
)

// Options are the options of the parallel tool as parsed; nil means not given.
type Options struct {
	APIs            []string // of APIs; empty is all
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
	Align           *uint64
	Threshold       *uint64
	MPIPosix        bool
	View            string // auto or transfer
	Verify          bool
	Hints           []engine.Hint
	HintsSet        bool
	IOComponent     string
	KeepFiles       bool
}

// The APIs, in the order in which they are measured.
const (
	POSIX = "posix"
	MPIIO = "mpiio"
	PHDF5 = "phdf5"
)

// APIs lists the APIs in the order in which they are measured.
func APIs() []string { return []string{POSIX, MPIIO, PHDF5} }

// Plan is a validated run.
type Plan struct {
	Parameters result.Parameters
	Notes      []string // what was adjusted, for people
	Steps      []Step   // in order
}

// Step is one number of processes; Skip says why it is not run.
type Step struct {
	Processes int
	Transfers []uint64 // transfer sizes, in order
	Skip      string
}

// Case is one number of processes, transfer size and API.
type Case struct {
	Parameters result.Parameters
	Processes  int
	Transfer   uint64
	API        string
}

// Pattern is the access pattern of the case.
func (c Case) Pattern() pattern.Parallel {
	return pattern.Parallel{
		Processes: uint64(c.Processes), Bytes: c.Parameters.BytesPerProcess, Transfer: c.Transfer,
		Block: c.Parameters.BlockBytes, TwoD: c.Parameters.Geometry == "2D",
		Interleaved: c.Parameters.Pattern == "interleaved",
	}
}
