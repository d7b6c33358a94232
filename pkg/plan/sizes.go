package plan

import (
	"fmt"

	"h5perf/pkg/option"
	"h5perf/pkg/units"
)

// sweepSizes holds the sizes of the parallel tool in bytes; in 2D they are the sides of squares.
type sweepSizes struct {
	bytesPerProcess, blockSize, minTransferSize, maxTransferSize uint64
}

// chosenSizes returns the given sizes or their defaults, lowered as in the C tool, and notes about lowered sizes. The C
// tool lowers them silently.
func chosenSizes(o Options) (sweepSizes, []string) {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	size := func(name string, given *uint64, fallback uint64) uint64 {
		if given != nil && *given == 0 { // as in the C tool
			note("Option %s 0 means the default, %s.", name, units.FormatSize(fallback))
		}
		if option.ValueOrZero(given) == 0 {
			return fallback
		}
		return *given
	}
	lowered := func(option string, size uint64, than string, limit uint64) uint64 {
		if size > limit {
			note("Option %s %s is larger than %s: %s is used.", option, units.FormatSize(size), than,
				units.FormatSize(limit))
		}
		return min(size, limit)
	}

	e := size("-e", o.BytesPerProcess, conditional[uint64](o.TwoD, 8<<10, 256<<10))
	highest := size("-X", o.MaxTransferSize, e)
	lowest := size("-x", o.MinTransferSize, e/2)
	block := size("-B", o.BlockSize, e/2)
	if !o.TwoD {
		lowest = lowered("-x", lowest, "-e", e)
		highest = lowered("-X", highest, "-e", e)
	}
	lowest = lowered("-x", lowest, "-X", highest)
	block = lowered("-B", block, "-e", e)
	return sweepSizes{bytesPerProcess: e, blockSize: block, minTransferSize: lowest, maxTransferSize: highest}, notes
}
