package plan

import (
	"fmt"
	"slices"

	"h5perf/pkg/units"
)

// fittedBlock returns the plan with another block, and a note, where no block is given and the default does not fit the
// other sizes. That is the largest block that fits and is not larger than the default.
func fittedBlock(p Plan, given Options) Plan {
	if value(given.Block) != 0 || checkDataset(p) != nil {
		return p
	}
	refusal := checkBlock(p)
	if refusal == nil {
		return p
	}
	s := p.Parameters
	first := p // tells best what else does not fit
	for _, block := range slices.Backward(divisors(commonDivisor(s.MinTransferBytes, s.BytesPerProcess))) {
		if block > max(1, s.BlockBytes) {
			continue
		}
		fitted := p
		fitted.Parameters.BlockBytes = block
		fitted.Parameters.ChunkBytes, _ = chunkOf(given, block) // was made before, without an error
		if checkBlock(fitted) == nil {
			fitted.Notes = append(slices.Clip(p.Notes), blockNote(given, s.BlockBytes, block, refusal))
			return fitted
		}
		if first.Parameters.BlockBytes == s.BlockBytes {
			first = fitted
		}
	}
	return first
}

// checkBlock refuses what another block may mend.
func checkBlock(p Plan) error {
	if err := checkSteps(p); err != nil {
		return err
	}
	return checkDirectSizes(p)
}

// blockNote returns the note on a block that is used in place of the default, which was refused.
func blockNote(given Options, fallback, used uint64, refusal error) string {
	what, whose := "No -B was given, so", "the C tool"
	if given.Block != nil {
		what = "Instead of the default,"
	}
	switch {
	case given.Conditions.Profile != "":
		whose = fmt.Sprintf("--profile %s", given.Conditions.Profile)
	case given.Conditions.MemoryFactor != nil:
		whose = "--memory-factor"
	}
	return fmt.Sprintf("%s the block size is %s. The default of %s, %s, does not fit: %v",
		what, units.FormatIEC(used), whose, units.FormatIEC(fallback), refusal)
}
