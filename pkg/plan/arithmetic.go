package plan

import (
	"math"
	"math/bits"
	"slices"

	"h5perf/pkg/units"
)

// maxBytes is the largest size that a file offset holds.
const maxBytes = math.MaxInt64

// fitsLimit reports whether the product of the factors is at most limit, and that of the first one, two, three and so
// on too.
func fitsLimit(limit uint64, factors ...uint64) bool {
	product := uint64(1)
	for _, f := range factors {
		high, low := bits.Mul64(product, f)
		if high != 0 || low > limit {
			return false
		}
		product = low
	}
	return true
}

// saturatingProduct returns the product, or the largest number where 64 bits do not hold it.
func saturatingProduct(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 {
		return math.MaxUint64
	}
	return low
}

// saturatingSum returns the sum, or the largest number where 64 bits do not hold it.
func saturatingSum(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return sum
}

// doubledSizes returns the numbers from low, doubled up to high. low is always among them.
func doubledSizes(low, high uint64) []uint64 {
	all := []uint64{low}
	for low != 0 && low <= high/2 {
		low *= 2
		all = append(all, low)
	}
	return all
}

// halvedCounts returns the numbers from high, halved down to low, which is at least 1.
func halvedCounts(high, low int) []int {
	var all []int
	for n := high; n >= low; n /= 2 {
		all = append(all, n)
	}
	return all
}

// commonDivisor returns the greatest common divisor (Euclid).
func commonDivisor(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// maxFactor limits the prime factors that divisors looks for.
const maxFactor = 1 << 16

// divisors returns the divisors of n, which is not 0, in ascending order. Those that are not products of prime factors
// up to maxFactor and of the rest of n may be missing.
func divisors(n uint64) []uint64 {
	all := []uint64{1}
	with := func(factor uint64, count int) {
		for range all {
			next := all[0]
			all = all[1:]
			for range count + 1 {
				all = append(all, next)
				next *= factor
			}
		}
	}
	for factor := uint64(2); factor <= maxFactor && factor <= n/factor; factor++ {
		count := 0
		for ; n%factor == 0; n /= factor {
			count++
		}
		if count > 0 {
			with(factor, count)
		}
	}
	if n > 1 {
		with(n, 1)
	}
	slices.Sort(all)
	return all
}

// multiplyAll returns the product of the factors, which fits in 64 bits.
func multiplyAll(factors []uint64) uint64 {
	p := uint64(1)
	for _, f := range factors {
		p *= f
	}
	return p
}

// nearestSizes returns the largest of the ascending sizes that is at most size, and the smallest that is larger; 0 for
// one that does not exist.
func nearestSizes(sizes []uint64, size uint64) (below, above uint64) {
	for _, n := range sizes {
		if n > size {
			return below, n
		}
		below = n
	}
	return below, 0
}

// nearestDivisorsText returns, as the end of an error about size, which divisors of n are nearest to it.
func nearestDivisorsText(n, size uint64) string {
	return nearestSizesText(nearestSizes(divisors(n), size))
}

// nearestSizesText returns two sizes as the end of an error; 0 is none. It returns "" if there is none at all.
func nearestSizesText(below, above uint64) string {
	if above > maxBytes {
		above = 0
	}
	switch {
	case below == 0 && above == 0:
		return ""
	case above == 0:
		return "; the nearest size is " + units.FormatSize(below)
	case below == 0:
		return "; the nearest size is " + units.FormatSize(above)
	}
	return "; the nearest sizes are " + units.FormatSize(below) + " and " + units.FormatSize(above)
}
