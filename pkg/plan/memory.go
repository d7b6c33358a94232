package plan

import (
	"math"
	"slices"

	"h5perf/pkg/usage"
)

// bytesPerProcessFor returns the value of -e with which a dataset has the size dataset in bytes. In 1D it is the number
// of bytes per process. In 2D it is the side of the square dataset divided by the number of processes.
func bytesPerProcessFor(dataset, processes float64, twoD bool) float64 {
	if twoD {
		return math.Sqrt(dataset) / processes
	}
	return dataset / processes
}

// minFileBytes returns the minimum size of a file: factor times the memory of the nodes.
func minFileBytes(factor float64, job JobFacts) (float64, error) {
	if job.MemoryBytes == 0 {
		return 0, usage.Errorf(
			"--memory-factor %g: the memory of the nodes is unknown here; give -e", factor)
	}
	return math.Ceil(factor * float64(job.MemoryBytes)), nil
}

// largestTransfer returns the largest of the transfer sizes low, 2 low, 4 low and so on up to high, but at least 1.
func largestTransfer(low, high uint64) uint64 {
	low = min(low, high)
	return max(1, slices.Max(doubledSizes(low, high)))
}

// roundUp returns the smallest multiple of unit that is at least size.
func roundUp(size float64, unit uint64) (*uint64, error) {
	multiple := math.Ceil(size / float64(unit))
	if multiple*float64(unit) >= maxBytes {
		return nil, usage.Errorf(
			"--memory-factor: a file cannot have %.0f bytes; give a smaller factor", size)
	}
	return new(uint64(multiple) * unit), nil
}
