// Package hist is a histogram of times in whole nanoseconds, precise enough for quantiles and small enough to be kept and
// merged on every process.
//
// Buckets are linear within each power of two, 2^7 of them, and single nanoseconds below 2^8, so a bucket is at most 1/128
// of its times wide. They reach over all of uint64. The package is pure; the loops in C record in the same way
// (h5perf_kernel.h).
package hist

import (
	"iter"
	"math"
	"math/bits"
)

const (
	subBits = 7
	// Buckets is the number of buckets.
	Buckets = (64-subBits)<<subBits + 1<<subBits
)

// Histogram counts times. Its memory is that of the h5perf_hist of C. A new one comes from New, or from Reset of memory that
// holds anything.
//
// Of two histograms Counts and Sum add, Min is the lower and Max the higher one: merging is exact, and its order does not
// matter.
type Histogram struct {
	Counts [Buckets]uint64 // of the times in each bucket
	Sum    uint64          // of all times
	Min    uint64          // the greatest uint64 when empty
	Max    uint64          // 0 when empty
}

// New makes an empty histogram.
func New() *Histogram { return &Histogram{Min: math.MaxUint64} }

// Reset empties a histogram.
func (h *Histogram) Reset() { *h = Histogram{Min: math.MaxUint64} }

// Record counts a time.
func (h *Histogram) Record(ns uint64) {
	h.Counts[index(ns)]++
	h.Sum += ns
	h.Min = min(h.Min, ns)
	h.Max = max(h.Max, ns)
}

// Merge counts all times of another histogram.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other.Counts {
		h.Counts[i] += n
	}
	h.Sum += other.Sum
	h.Min = min(h.Min, other.Min)
	h.Max = max(h.Max, other.Max)
}

// Count is the number of times.
func (h *Histogram) Count() uint64 {
	n := uint64(0)
	for _, c := range h.Counts {
		n += c
	}
	return n
}

// Quantile is the time that the part p of all times, from 0 to 1, did not exceed: the sample of rank p × count, rounded up,
// in ascending order. It is within 0.4 % of that sample, and exact where that is the least or the greatest. Of no times it
// is 0.
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
	b := bucket(i)
	return min(max(b.From+b.Width/2, h.Min), h.Max)
}

// Bucket counts the times from From on, below From + Width.
type Bucket struct {
	From, Width uint64
	Count       uint64
}

// All are the buckets that are not empty, ascending.
func (h *Histogram) All() iter.Seq[Bucket] {
	return func(yield func(Bucket) bool) {
		for i, n := range h.Counts {
			if n == 0 {
				continue
			}
			b := bucket(i)
			b.Count = n
			if !yield(b) {
				return
			}
		}
	}
}

// index is the bucket of a time; h5perf_hist_index in C.
func index(ns uint64) int {
	shift := bits.Len64(ns|1<<subBits) - subBits - 1
	return shift<<subBits + int(ns>>shift)
}

// bucket is a bucket without its count.
func bucket(i int) Bucket {
	if i < 1<<subBits {
		return Bucket{From: uint64(i), Width: 1}
	}
	shift := i>>subBits - 1
	return Bucket{From: uint64(i-shift<<subBits) << shift, Width: 1 << shift}
}
