package plan

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// withFittingBlock replaces the default block size of a plan if it does not fit the other sizes, and adds a note. The
// new block size is the largest one that fits and is at most the default. A block size that the user gave does not
// change.
func withFittingBlock(p Plan, given Options) Plan {
	if option.ValueOrZero(given.BlockSize) != 0 || checkDataset(p) != nil {
		return p
	}
	refusal := checkBlock(p)
	if refusal == nil {
		return p
	}
	s := p.Parameters
	whole := commonDivisor(s.MinTransferSize, s.BytesPerProcess) // the other transfer sizes are multiples of it
	unit := uint64(1)
	if s.Conditions.Direct && whole%minDirectAlignment == 0 {
		unit = minDirectAlignment
	}
	limit := s.BlockSize
	if s.Layout == result.LayoutChunked && len(given.ChunkSize) == 0 { // a chunk is a block
		limit = min(limit, conditional[uint64](s.Geometry == result.Geometry2D, 1<<16-1, maxChunkBytes))
	}
	block, _ := nearestSizes(divisors(whole/unit), max(1, limit/unit))
	fitted := p
	fitted.Parameters.BlockSize = block * unit
	fitted.Parameters.ChunkSize, _ = chosenChunk(given, block*unit) // succeeded before, so there is no error
	if checkBlock(fitted) == nil {
		fitted.Notes = append(slices.Clip(p.Notes), blockNote(given, s.BlockSize, block*unit, refusal))
	}
	return fitted // its errors name best what else does not fit
}

// checkBlock returns an error if the block size does not fit the other sizes, so that another block size may help.
func checkBlock(p Plan) error {
	if err := checkSteps(p); err != nil {
		return err
	}
	return checkDirectSizes(p)
}

// blockNote returns the note about the block size that is used instead of the default. refusal is the error for the
// default.
func blockNote(given Options, fallback, used uint64, refusal error) string {
	what, whose := "No -B was given, so", "the C tool"
	if given.BlockSize != nil {
		what = "Instead of the default,"
	}
	switch {
	case given.Preset != "":
		whose = fmt.Sprintf("--preset %s", given.Preset)
	case given.MemoryFactor != nil:
		whose = "--memory-factor"
	}
	why, _, _ := strings.Cut(refusal.Error(), "; ") // the suggestion after it is about other options
	return fmt.Sprintf("%s the block size is %s. The default of %s, %s, does not fit: %s.",
		what, units.FormatIEC(used), whose, units.FormatIEC(fallback), why)
}
