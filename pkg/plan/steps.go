package plan

import (
	"cmp"
	"fmt"
	"slices"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// checkDataset refuses datasets and files that are too large for a file offset. It checks only the first step, whose
// datasets and files are the largest.
func checkDataset(p Plan) error {
	s := p.Parameters
	e, n := s.BytesPerProcess, uint64(s.MaxProcesses)
	dataset, what := []uint64{e, n}, "bytes per process × processes"
	if s.Geometry == result.Geometry2D {
		dataset, what = []uint64{e, n, e, n}, "(bytes per process × processes)²"
	}
	if !fitsLimit(maxBytes, dataset...) {
		return usage.Errorf("-e %s with %s in %s: the dataset (%s) is larger than %d bytes; "+
			"give a smaller -e", units.FormatSize(e), processesText(s.MaxProcesses), s.Geometry, what, int64(maxBytes))
	}
	if !fitsLimit(maxBytes, append(dataset, uint64(s.Files), uint64(s.Datasets))...) {
		return usage.Errorf("-F %d -d %d -e %s with %s: all files together (files × datasets × %s) are larger than "+
			"%d bytes; give smaller numbers",
			s.Files, s.Datasets, units.FormatSize(e), processesText(s.MaxProcesses), what, int64(maxBytes))
	}
	return nil
}

// checkSteps refuses sizes that do not work with the access pattern. The C tool makes most of these checks once per
// case, and then continues with results of 0.00.
func checkSteps(p Plan) error {
	s := p.Parameters
	e, b := s.BytesPerProcess, s.BlockSize
	if b == 0 {
		return usage.Errorf("-B: the default, half of -e %d, is 0 bytes, but a block has at least 1 byte; "+
			"give -B 1, or -e 2 or more", e)
	}
	if s.MinTransferSize == 0 {
		return usage.Errorf("-x: the default, half of -e %d, is 0 bytes, but a transfer has at least 1 byte; "+
			"give -x 1, or -e 2 or more", e)
	}
	// With a memory factor, the bytes per process consist of whole transfers.
	if e%b != 0 && (s.Geometry == result.Geometry2D || s.Conditions.MemoryFactor == nil) {
		sizes := divisors(commonDivisor(e, s.MinTransferSize)) // so that a block divides the transfers, too
		if len(sizes) == 1 {
			sizes = divisors(e)
		}
		return usage.Errorf("-B %s -e %s: the block size must divide the bytes per process%s",
			units.FormatSize(b), units.FormatSize(e), nearestSizesText(nearestSizes(sizes, b)))
	}
	for _, step := range p.ProcessSteps {
		if step.SkipReason != "" {
			continue
		}
		for _, x := range step.TransferSizes {
			if err := checkTransfer(p, step.Processes, x); err != nil {
				return err
			}
		}
		if err := checkChunk(p, step.Processes); err != nil {
			return err
		}
	}
	return nil
}

// checkTransfer refuses a transfer size that, in a step with n processes, does not divide the data into whole transfers
// of whole blocks. If it passes, the transfer buffer is no larger than the dataset.
func checkTransfer(p Plan, n int, x uint64) error {
	s := p.Parameters
	transfer := "transfer size " + units.FormatSize(x)
	if x != s.MinTransferSize {
		transfer += fmt.Sprintf(" (from -x %s, doubled up to -X %s)",
			units.FormatSize(s.MinTransferSize), units.FormatSize(s.MaxTransferSize))
	}
	whole := s.BytesPerProcess
	if s.Geometry == result.Geometry2D {
		whole *= uint64(n)
	}
	switch {
	case x%s.BlockSize != 0:
		return usage.Errorf("%s: must be a multiple of the block size, -B %s%s", transfer,
			units.FormatSize(s.BlockSize), fittingSizesText(p, x))
	case whole%x != 0 && s.Geometry == result.Geometry1D:
		return usage.Errorf("%s: must divide the bytes per process, -e %s%s", transfer, units.FormatSize(whole),
			fittingSizesText(p, x))
	case whole%x != 0:
		return usage.Errorf("step of %s, %s: in 2D the transfer size must divide the side of the dataset, "+
			"-e %s × %d = %s%s", processesText(n), transfer, units.FormatSize(s.BytesPerProcess), n,
			units.FormatSize(whole), fittingSizesText(p, x))
	}
	return nil
}

// fittingSizesText returns the end of the error message about a transfer size: the largest of the doubled sizes that
// fits in all steps. If none of them fits, it suggests the sizes nearest to x of which the size itself and all its
// doubled sizes fit.
func fittingSizesText(p Plan, x uint64) string {
	s, whole := p.Parameters, bytesDividedByTransfers(p)
	unit := s.BlockSize
	if s.Conditions.Direct {
		unit *= minDirectAlignment / commonDivisor(unit, minDirectAlignment)
	}
	fits := func(size uint64) bool { return size%unit == 0 && whole%size == 0 }
	last := uint64(0)
	for size := s.MinTransferSize; size <= s.MaxTransferSize && fits(size); size *= 2 {
		last = size
	}
	switch {
	case last > 0 && last < x:
		return "; give -X " + units.FormatSize(last)
	case whole%s.BlockSize != 0: // the data consist of whole transfers
		return nearestSizesText(x/unit*unit, saturatingSum(x/unit*unit, unit))
	}
	alone := slices.DeleteFunc(divisors(whole), func(size uint64) bool { return !fits(size) })
	if s.MinTransferSize == s.MaxTransferSize {
		return nearestSizesText(nearestSizes(alone, x))
	}
	doubled := slices.DeleteFunc(slices.Clone(alone), func(size uint64) bool {
		for ; size <= s.MaxTransferSize/2; size *= 2 {
			if !fits(size * 2) {
				return true
			}
		}
		return size > s.MaxTransferSize
	})
	if text := nearestSizesText(nearestSizes(doubled, x)); text != "" || len(alone) == 0 {
		return text
	}
	below, above := nearestSizes(alone, x)
	size := units.FormatSize(cmp.Or(above, below))
	return "; give -x " + size + " -X " + size
}

// bytesDividedByTransfers returns the number of bytes of which the transfer size must be a divisor, in every step. In
// 2D it is the greatest common divisor of the sides of the datasets of all steps.
func bytesDividedByTransfers(p Plan) uint64 {
	s, common := p.Parameters, uint64(0)
	if s.Geometry == result.Geometry1D {
		return s.BytesPerProcess
	}
	for _, step := range p.ProcessSteps {
		if step.SkipReason == "" {
			common = commonDivisor(common, uint64(step.Processes))
		}
	}
	return s.BytesPerProcess * common
}
