package plan

import (
	"math"
	"math/bits"
	"slices"

	"h5perf/pkg/units"
)

// maxBytes is the largest value of a file offset.
const maxBytes = math.MaxInt64

// fitsLimit reports whether the product of the factors is at most limit, and each partial product (the first factor,
// the first two, and so on) is, too.
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

// saturatingProduct returns the product, or the largest uint64 if the product overflows.
func saturatingProduct(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 {
		return math.MaxUint64
	}
	return low
}

// saturatingSum returns the sum, or the largest uint64 if the sum overflows.
func saturatingSum(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return sum
}

// doubledSizes returns low, 2 low, 4 low and so on up to high. It always includes low.
func doubledSizes(low, high uint64) []uint64 {
	all := []uint64{low}
	for low != 0 && low <= high/2 {
		low *= 2
		all = append(all, low)
	}
	return all
}

// halvedCounts returns high, high/2, high/4 and so on down to low, which is at least 1.
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

// maxFactor is the limit up to which divisors searches for prime factors.
const maxFactor = 1 << 16

// divisors returns the divisors of n in ascending order. n is not 0. Divisors may be missing if n has several prime
// factors above maxFactor: these count as one factor.
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

// multiplyAll returns the product of the factors. It must fit in 64 bits.
func multiplyAll(factors []uint64) uint64 {
	p := uint64(1)
	for _, f := range factors {
		p *= f
	}
	return p
}

// nearestSizes returns the largest of the ascending sizes that is at most size, and the smallest that is larger. A size
// that does not exist is 0.
func nearestSizes(sizes []uint64, size uint64) (below, above uint64) {
	for _, n := range sizes {
		if n > size {
			return below, n
		}
		below = n
	}
	return below, 0
}

// nearestDivisorsText returns the end of an error message about size: the divisors of n that are nearest to size.
func nearestDivisorsText(n, size uint64) string {
	return nearestSizesText(nearestSizes(divisors(n), size))
}

// nearestSizesText returns the end of an error message that suggests two sizes. A size of 0 is left out. If both are 0,
// it returns "".
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
