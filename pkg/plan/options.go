package plan

import (
	"h5perf/pkg/option"
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
	FilesPerProcess bool
	Create          option.Create // "": all
	Datasets        *int
	TwoD            bool
	Interleaved     bool
	Collective      bool
	Chunked         bool
	ChunkSize       []uint64 // extent of an HDF5 chunk: one value (a side, in 2D of a square) or one per dimension
	WriteOnly       bool
	Verify          bool
	HDF5            option.HDF5
	MPIPosix        bool // -m, the file driver mpiposix
	MPIIO           option.MPIIO
	MPIInfo         *string // HDF5_MPI_INFO: hints, overridden by those of MPIIO
	Conditions      option.Conditions
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
	HDF5       option.HDF5
	Verify     bool
	Conditions option.Conditions
}
