package workload

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"h5perf/pkg/pattern"
)

// rowCounter computes how many units of rows each process has.
type rowCounter struct {
	rowsOfRank    func(rank uint64) (before, count uint64) // counts of all processes before, and of this one
	ranksWithMore func(number uint64) uint64               // processes with more than number units; nil: not known
}

// newRowCounter returns the counter for a number of processes. all is the total of the counts for NormalCounts if Mean
// is 0.
func (r Rule) newRowCounter(ranks, all uint64) (rowCounter, error) {
	switch r.Counts {
	case EqualCounts:
		return listCounts(ranks, []uint64{r.Count})
	case ModuloCounts:
		return moduloCounts(ranks, r.Base, r.Modulus)
	case NormalCounts:
		n := normalCounter{ranks, all, r.Mean, r.Deviation, func(first, n uint64) float64 {
			return normalDeviate(r.Seed, first, n)
		}}
		return rowCounter{rowsOfRank: n.rowsOfRank}, n.checkLimits()
	case ListCounts:
		if len(r.Each) == 0 {
			return rowCounter{}, errors.New("a list without counts: give one or more")
		}
		return listCounts(ranks, r.Each)
	case SharedCounts:
		return evenCounts(ranks, r.Count), checkTotalRows(1, r.Count)
	}
	return rowCounter{}, errors.New("there is no way of this name to get the counts")
}

// checkParameters returns an error if a parameter is set that this way of counting does not use.
func (r Rule) checkParameters() error {
	for _, p := range []struct {
		name      string
		set, used bool
	}{
		{"base", r.Base != 0, r.Counts == ModuloCounts},
		{"mean", r.Mean != 0, r.Counts == NormalCounts},
		{"seed", r.Seed != 0, r.Counts == NormalCounts},
		{"piece", r.Piece != 0, r.Counts != NormalCounts},
	} {
		if p.set && !p.used {
			return fmt.Errorf("%s counts do not use %s: leave it out", r.Counts, p.name)
		}
	}
	return nil
}

// checkTotalRows returns an error if the sum of the counts of all ranks may be 2^63 or more. Each count is at most
// maxCount.
func checkTotalRows(ranks, maxCount uint64) error {
	if over, sum := bits.Mul64(ranks, maxCount); over != 0 || sum > math.MaxInt64 {
		return fmt.Errorf("up to %d rows for each of %d processes: all together must be less than 2^63", maxCount,
			ranks)
	}
	return nil
}

// listCounts returns counts from a list, which repeats when it ends. The cost for a process is proportional to the
// length of the list.
func listCounts(ranks uint64, each []uint64) (rowCounter, error) {
	n := uint64(len(each))
	return rowCounter{
		func(rank uint64) (before, count uint64) {
			return rank/n*sumNumbers(each) + sumNumbers(each[:rank%n]), each[rank%n]
		},
		func(number uint64) (all uint64) {
			for i, count := range each {
				if first := uint64(i); count > number && first < ranks {
					all += (ranks-1-first)/n + 1
				}
			}
			return all
		},
	}, checkTotalRows(ranks, slices.Max(each))
}

func sumNumbers(numbers []uint64) (total uint64) {
	for _, n := range numbers {
		total += n
	}
	return total
}

// moduloCounts returns the counts base, base + 1, ... base + modulus - 1, repeated from base.
func moduloCounts(ranks, base, modulus uint64) (rowCounter, error) {
	if modulus == 0 {
		return rowCounter{}, errors.New("counts modulo 0: give a modulus from 1 on")
	}
	most, over := bits.Add64(base, min(ranks, modulus)-1, 0)
	if over != 0 {
		most = math.MaxUint64
	}
	return rowCounter{
		func(rank uint64) (before, count uint64) {
			whole, step := rank/modulus, rank%modulus
			return rank*base + whole*sumOfNumbersBelow(modulus) + sumOfNumbersBelow(step), base + step
		},
		func(number uint64) uint64 {
			if number < base {
				return ranks
			}
			least := number - base + 1 // smallest step with more than number
			return ranks/modulus*(modulus-min(least, modulus)) + ranks%modulus - min(least, ranks%modulus)
		},
	}, checkTotalRows(ranks, most)
}

// sumOfNumbersBelow returns the sum of the numbers from 0 to n - 1.
func sumOfNumbersBelow(n uint64) uint64 {
	if n%2 == 0 {
		return n / 2 * (n - 1)
	}
	return (n - 1) / 2 * n
}

// evenCounts returns counts that divide all as evenly as possible.
func evenCounts(ranks, all uint64) rowCounter {
	return rowCounter{
		func(rank uint64) (before, count uint64) {
			from, to := EvenShare(all, rank, ranks)
			return from, to - from
		},
		func(number uint64) uint64 {
			switch each := all / ranks; {
			case number < each:
				return ranks
			case number == each:
				return all % ranks
			}
			return 0
		},
	}
}

// concatParts implements rule Concat.
func (r Rule) concatParts(s sharedDataset) (rankParts, error) {
	if err := r.checkParameters(); err != nil {
		return rankParts{}, err
	}
	unit := max(1, r.Unit)
	c, err := r.newRowCounter(s.ranks, s.dims[0]/unit)
	if err != nil {
		return rankParts{}, err
	}
	before, count := c.rowsOfRank(s.ranks - 1)
	total := before + count
	over, n := bits.Mul64(total, unit)
	if over != 0 {
		n = math.MaxUint64
	}
	if err := checkTotalRows(1, n); err != nil {
		return rankParts{}, err
	}
	if n > s.dims[0] {
		return rankParts{},
			fmt.Errorf("the counts of %d processes need an extent of %d in the first dimension, which has "+
				"%d: leave it out, or make it larger", s.ranks, n, s.dims[0])
	}
	if r.Piece > 0 {
		total = c.ranksWithMore(r.Piece - 1)
	}
	return rankParts{total * unit * s.elementsPerIndex(0), func(rank uint64) (pattern.Selection, error) {
		before, count := c.rowsOfRank(rank)
		if r.Piece > count {
			before, count = 0, 0
		} else if r.Piece > 0 {
			before, count = before+r.Piece-1, 1
		}
		return s.selectBands(0, before*unit, (before+count)*unit)
	}}, nil
}
