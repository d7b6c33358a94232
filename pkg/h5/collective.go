package h5

// #include "h5perf_hdf5.h"
import "C"

import (
	_ "embed"
	"fmt"
	"math/bits"
	"unsafe"
)

// The go command does not track headers in other folders. The header is embedded, so that a change in it rebuilds this
// package, and all packages that import it and include the header.
//
//go:embed h5perf_hdf5.h
var _ string

// CollectiveReport tells how many of the transfers that were requested as collective the library really executed
// collectively. It does not count transfers without data, such as from chunks that do not exist. The strings are names
// of constants of the library.
type CollectiveReport struct {
	Collective, Mixed, Independent uint64   // numbers of transfers that were fully, partly or not collective
	Modes, Optimizations           []string // I/O modes and chunk optimizations that occurred
	LocalCauses, GlobalCauses      []string // why transfers were not fully collective: on this process, on any process
}

// The values of H5D_mpio_actual_io_mode_t and H5D_mpio_actual_chunk_opt_mode_t, in ascending order.
var (
	ioModes = []string{
		"H5D_MPIO_NO_COLLECTIVE", "H5D_MPIO_CHUNK_INDEPENDENT", "H5D_MPIO_CHUNK_COLLECTIVE", "H5D_MPIO_CHUNK_MIXED",
		"H5D_MPIO_CONTIGUOUS_COLLECTIVE",
	}
	chunkOptimizations = []string{"H5D_MPIO_NO_CHUNK_OPTIMIZATION", "H5D_MPIO_LINK_CHUNK", "H5D_MPIO_MULTI_CHUNK"}
)

// noCollectiveCauses holds the names of the bits of H5D_mpio_no_collective_cause_t, the lowest first. They are the same
// in all versions of the library.
var noCollectiveCauses = []string{
	"H5D_MPIO_SET_INDEPENDENT", "H5D_MPIO_DATATYPE_CONVERSION", "H5D_MPIO_DATA_TRANSFORMS",
	"H5D_MPIO_MPI_OPT_TYPES_ENV_VAR_DISABLED", "H5D_MPIO_NOT_SIMPLE_OR_SCALAR_DATASPACES",
	"H5D_MPIO_NOT_CONTIGUOUS_OR_CHUNKED_DATASET", "H5D_MPIO_PARALLEL_FILTERED_WRITES_DISABLED",
	"H5D_MPIO_ERROR_WHILE_CHECKING_COLLECTIVE_POSSIBLE", "H5D_MPIO_NO_SELECTION_IO",
}

// ReadCollective converts the h5perf_collective at the address account.
func ReadCollective(account unsafe.Pointer) CollectiveReport {
	c := (*C.h5perf_collective)(account)
	return CollectiveReport{
		Collective: uint64(c.collective), Mixed: uint64(c.mixed), Independent: uint64(c.independent),
		Modes: namesOfBits(ioModes, c.io_modes), Optimizations: namesOfBits(chunkOptimizations, c.optimizations),
		LocalCauses:  namesOfBits(noCollectiveCauses, c.local_causes),
		GlobalCauses: namesOfBits(noCollectiveCauses, c.global_causes),
	}
}

// namesOfBits returns the names of the bits that are set, the lowest first. A bit without a name is "bit n".
func namesOfBits(names []string, set C.uint32_t) []string {
	var all []string
	for rest := uint32(set); rest != 0; rest &= rest - 1 {
		bit := bits.TrailingZeros32(rest)
		if bit < len(names) {
			all = append(all, names[bit])
		} else {
			all = append(all, fmt.Sprintf("bit %d", bit))
		}
	}
	return all
}
