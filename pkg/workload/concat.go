package workload

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"h5perf/pkg/pattern"
)

// counter is a number of units of rows for each process.
type counter struct {
	part   func(rank uint64) (before, count uint64) // of the processes before, and of this one
	beyond func(number uint64) uint64               // how many processes have more than a number; nil: not known
}

// counter returns the counter of a number of processes. all is the total of normal counts without a mean.
func (r Rule) counter(ranks, all uint64) (counter, error) {
	switch r.Counts {
	case Equal:
		return listCounts(ranks, []uint64{r.Count})
	case Modulo:
		return moduloCounts(ranks, r.Base, r.Modulus)
	case Normal:
		n := normal{ranks, all, r.Mean, r.Deviation, func(first, n uint64) float64 {
			return deviate(r.Seed, first, n)
		}}
		return counter{part: n.part}, n.check()
	case List:
		if len(r.Each) == 0 {
			return counter{}, errors.New("a list without counts: give one or more")
		}
		return listCounts(ranks, r.Each)
	case Shared:
		return evenCounts(ranks, r.Count), checkSum(1, r.Count)
	}
	return counter{}, errors.New("there is no way of this name to get the counts")
}

// checkParameters returns an error if a parameter is set that the counts do not use.
func (r Rule) checkParameters() error {
	for _, p := range []struct {
		name      string
		set, used bool
	}{
		{"base", r.Base != 0, r.Counts == Modulo},
		{"mean", r.Mean != 0, r.Counts == Normal},
		{"seed", r.Seed != 0, r.Counts == Normal},
		{"piece", r.Piece != 0, r.Counts != Normal},
	} {
		if p.set && !p.used {
			return fmt.Errorf("%s counts do not use %s: leave it out", r.Counts, p.name)
		}
	}
	return nil
}

// checkSum returns an error if as many counts as there are processes may have a sum of 2^63 or more.
func checkSum(ranks, most uint64) error {
	if over, sum := bits.Mul64(ranks, most); over != 0 || sum > math.MaxInt64 {
		return fmt.Errorf("up to %d rows for each of %d processes: all together must be less than 2^63", most, ranks)
	}
	return nil
}

// listCounts returns counts that begin again when they end. The cost of a part is that of the list.
func listCounts(ranks uint64, each []uint64) (counter, error) {
	n := uint64(len(each))
	return counter{
		func(rank uint64) (before, count uint64) {
			return rank/n*sum(each) + sum(each[:rank%n]), each[rank%n]
		},
		func(number uint64) (all uint64) {
			for i, count := range each {
				if first := uint64(i); count > number && first < ranks {
					all += (ranks-1-first)/n + 1
				}
			}
			return all
		},
	}, checkSum(ranks, slices.Max(each))
}

// sum returns the sum of the numbers.
func sum(numbers []uint64) (total uint64) {
	for _, n := range numbers {
		total += n
	}
	return total
}

// moduloCounts returns the counts base, base + 1, ... base + modulus - 1, and from base on again.
func moduloCounts(ranks, base, modulus uint64) (counter, error) {
	if modulus == 0 {
		return counter{}, errors.New("counts modulo 0: give a modulus from 1 on")
	}
	most, over := bits.Add64(base, min(ranks, modulus)-1, 0)
	if over != 0 {
		most = math.MaxUint64
	}
	return counter{
		func(rank uint64) (before, count uint64) {
			whole, step := rank/modulus, rank%modulus
			return rank*base + whole*triangle(modulus) + triangle(step), base + step
		},
		func(number uint64) uint64 {
			if number < base {
				return ranks
			}
			least := number - base + 1 // of the steps
			return ranks/modulus*(modulus-min(least, modulus)) + ranks%modulus - min(least, ranks%modulus)
		},
	}, checkSum(ranks, most)
}

// triangle returns the sum of 0 to n - 1.
func triangle(n uint64) uint64 {
	if n%2 == 0 {
		return n / 2 * (n - 1)
	}
	return (n - 1) / 2 * n
}

// evenCounts returns counts whose sum is all, as even as possible.
func evenCounts(ranks, all uint64) counter {
	return counter{
		func(rank uint64) (before, count uint64) {
			from, to := Share(all, rank, ranks)
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

// rows is rule Concat.
func (r Rule) rows(s space) (parts, error) {
	if err := r.checkParameters(); err != nil {
		return parts{}, err
	}
	unit := max(1, r.Unit)
	c, err := r.counter(s.ranks, s.dims[0]/unit)
	if err != nil {
		return parts{}, err
	}
	before, count := c.part(s.ranks - 1)
	total := before + count
	over, n := bits.Mul64(total, unit)
	if over != 0 {
		n = math.MaxUint64
	}
	if err := checkSum(1, n); err != nil {
		return parts{}, err
	}
	if n > s.dims[0] {
		return parts{}, fmt.Errorf("the counts of %d processes need an extent of %d in the first dimension, which has "+
			"%d: leave it out, or make it larger", s.ranks, n, s.dims[0])
	}
	if r.Piece > 0 {
		total = c.beyond(r.Piece - 1)
	}
	return parts{total * unit * s.rest(0), func(rank uint64) (pattern.Selection, error) {
		before, count := c.part(rank)
		if r.Piece > count {
			before, count = 0, 0
		} else if r.Piece > 0 {
			before, count = before+r.Piece-1, 1
		}
		return s.bands(0, before*unit, (before+count)*unit)
	}}, nil
}
