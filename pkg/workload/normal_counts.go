package workload

import (
	"fmt"
	"math"
	"math/bits"
)

// normalCounter computes counts from a normal distribution.
//
// The counts are drawn as a tree. Its root is the total number of rows of all processes. Each node splits the total of
// some consecutive processes into the totals of their two halves. So one random number for each level of the tree is
// enough to compute the rows of a process, and the rows before them. The sums always agree.
//
// The total of n processes has mean n·Mean and standard deviation √n·Deviation. A half of n₁ processes of n gets n₁/n
// of their total, with a standard deviation of Deviation·√(n₁(n-n₁)/n). This is the distribution of sums of independent
// normal numbers, given their total, and so counts are independent of each other, with the mean and deviation that were
// asked for. There are two differences, beside rounding. First, a half that would get a negative number of rows gets 0,
// and a half that would get more than the total gets the total. This is rare if the mean is several times the
// deviation. Second, the normal numbers are sums of 12 uniform numbers, so they are within ±6 standard deviations: see
// normalDeviate. If Mean is 0, the total is not drawn: it is all.
type normalCounter struct {
	ranks, all      uint64
	mean, deviation float64
	deviate         func(first, n uint64) float64 // for the node of n processes from first on; 0, 0: for the total
}

// checkLimits returns an error if the rows of all processes may be too many, or if a parameter is below 0.
func (c normalCounter) checkLimits() error {
	n := float64(c.ranks)
	if c.mean == 0 && c.all >= 1<<62 {
		return fmt.Errorf("normal counts of %d rows: there must be less than 2^62", c.all)
	}
	if !(c.mean >= 0 && c.deviation >= 0 && c.mean*n+maxDeviate*c.deviation*math.Sqrt(n) < 1<<62) {
		return fmt.Errorf("normal counts of mean %v and deviation %v for %d processes: give none below 0, and all "+
			"together less than 2^62 rows", c.mean, c.deviation, c.ranks)
	}
	return nil
}

// totalRows returns the total of all processes. The conversions keep the compiler from fusing a product and a sum into
// one operation, which rounds differently on some machines.
func (c normalCounter) totalRows() uint64 {
	if c.mean == 0 {
		return c.all
	}
	n := float64(c.ranks)
	spread := float64(c.deviate(0, 0) * c.deviation * math.Sqrt(n))
	return uint64(max(0, math.Round(float64(c.mean*n)+spread)))
}

// rowsOfFirstHalf returns the number of rows of the first half of a node. The node stands for n processes from first
// on, which have total rows together.
func (c normalCounter) rowsOfFirstHalf(first, n, total uint64) uint64 {
	half := n / 2
	high, low := bits.Mul64(total, half)
	fair, _ := bits.Div64(high, low, n)
	spread := math.Sqrt(float64(half) * float64(n-half) / float64(n))
	move := math.Round(c.deviate(first, n) * c.deviation * spread)
	if move < 0 {
		return fair - min(fair, uint64(-move))
	}
	return fair + min(total-fair, uint64(move))
}

func (c normalCounter) rowsOfRank(rank uint64) (before, count uint64) {
	count = c.totalRows()
	for first, n := uint64(0), c.ranks; n > 1; {
		half, left := n/2, c.rowsOfFirstHalf(first, n, count)
		if rank < first+half {
			n, count = half, left
			continue
		}
		first, n, before, count = first+half, n-half, before+left, count-left
	}
	return before, count
}
