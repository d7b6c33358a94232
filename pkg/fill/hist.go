// This file implements a histogram of times in whole nanoseconds. It is precise enough for quantiles, and small enough
// to be kept and merged on every process.
//
// Each power of two is divided into 2^7 buckets of equal width; below 2^8 ns, each bucket is one nanosecond wide. So
// the width of a bucket is at most 1/128 of its times. The buckets cover all of uint64. The transfer loops in C record
// times in the same way (h5perf_kernel.h).

package fill

import (
	"iter"
	"math"
	"math/bits"
)

const (
	subBits = 7 // logarithm to base 2 of the number of buckets of each power of two
	// Buckets is the number of buckets.
	Buckets = (64-subBits)<<subBits + 1<<subBits
)

// Histogram counts times in nanoseconds. Its memory layout is the layout of h5perf_hist in C. An empty histogram comes
// from NewHistogram, or from Reset, which may be called on memory with any content.
//
// Merging histograms is exact, in any order: it adds up Counts and Sum, and takes the smaller Min and the larger Max.
type Histogram struct {
	Counts [Buckets]uint64 // number of times in each bucket
	Sum    uint64          // sum of all times, in nanoseconds
	Min    uint64          // math.MaxUint64 if empty
	Max    uint64          // 0 if empty
}

// NewHistogram returns an empty histogram.
func NewHistogram() *Histogram { return &Histogram{Min: math.MaxUint64} }

// Reset empties a histogram.
func (h *Histogram) Reset() { *h = Histogram{Min: math.MaxUint64} }

// Record adds a time in nanoseconds.
func (h *Histogram) Record(ns uint64) {
	h.Counts[bucketIndex(ns)]++
	h.Sum += ns
	h.Min = min(h.Min, ns)
	h.Max = max(h.Max, ns)
}

// Merge adds all times of another histogram.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other.Counts[:] {
		h.Counts[i] += n
	}
	h.Sum += other.Sum
	h.Min = min(h.Min, other.Min)
	h.Max = max(h.Max, other.Max)
}

// Count returns the number of times.
func (h *Histogram) Count() uint64 {
	n := uint64(0)
	for _, c := range h.Counts[:] {
		n += c
	}
	return n
}

// Quantile returns the quantile of order p, from 0 to 1, in nanoseconds: the sample of rank p × count, rounded up, in
// ascending order. The result is within 0.4 % of that sample, and exact for the largest sample. For an empty histogram
// it is 0.
func (h *Histogram) Quantile(p float64) uint64 {
	count := h.Count()
	if count == 0 {
		return 0
	}
	rank := max(1, uint64(math.Ceil(p*float64(count))))
	if rank >= count {
		return h.Max
	}
	i, below := 0, h.Counts[0]
	for below < rank {
		i++
		below += h.Counts[i]
	}
	b := bucketAt(i)
	return min(max(b.From+b.Width/2, h.Min), h.Max)
}

// Bucket counts the times in [From, From + Width), in nanoseconds.
type Bucket struct {
	From, Width uint64
	Count       uint64
}

// All returns the buckets that are not empty, in ascending order.
func (h *Histogram) All() iter.Seq[Bucket] {
	return func(yield func(Bucket) bool) {
		for i, n := range h.Counts[:] {
			if n == 0 {
				continue
			}
			b := bucketAt(i)
			b.Count = n
			if !yield(b) {
				return
			}
		}
	}
}

// bucketIndex returns the index of the bucket of a time, like h5perf_hist_index in C.
func bucketIndex(ns uint64) int {
	shift := bits.Len64(ns|1<<subBits) - subBits - 1
	return shift<<subBits + int(ns>>shift)
}

// bucketAt returns the bucket with an index, without its count.
func bucketAt(i int) Bucket {
	if i < 1<<subBits {
		return Bucket{From: uint64(i), Width: 1}
	}
	shift := i>>subBits - 1
	return Bucket{From: uint64(i-shift<<subBits) << shift, Width: 1 << shift}
}
