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
type counter interface {
	total() uint64
	part(rank uint64) (before, count uint64) // of the processes before, and of this one
}

// listCounter is a counter that knows how many processes have more than a number.
type listCounter interface {
	counter
	beyond(number uint64) uint64
}

// counter returns the counter of a number of processes. all is the total of normal counts without a mean.
func (r Rule) counter(ranks, all uint64) (counter, error) {
	switch r.Counts {
	case Equal:
		return list{ranks, []uint64{r.Count}}.checked()
	case Modulo:
		if r.Modulus == 0 {
			return nil, errors.New("counts modulo 0: give a modulus from 1 on")
		}
		return ladder{ranks, r.Base, r.Modulus}.checked()
	case Normal:
		return normal{ranks, all, r.Mean, r.Deviation, func(first, n uint64) float64 {
			return deviate(r.Seed, first, n)
		}}.checked()
	case List:
		if len(r.Each) == 0 {
			return nil, errors.New("a list without counts: give one or more")
		}
		return list{ranks, r.Each}.checked()
	case Shared:
		return evenly{ranks, r.Count}, checkSum(1, r.Count)
	}
	return nil, errors.New("there is no way of this name to get the counts")
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

// list has counts that begin again when they end. The cost of a part is that of the list.
type list struct {
	ranks uint64
	each  []uint64
}

func (c list) checked() (counter, error) { return c, checkSum(c.ranks, slices.Max(c.each)) }

func (c list) part(rank uint64) (before, count uint64) {
	n := uint64(len(c.each))
	return rank/n*sum(c.each) + sum(c.each[:rank%n]), c.each[rank%n]
}

func (c list) beyond(number uint64) uint64 {
	n := uint64(len(c.each))
	all := uint64(0)
	for i, count := range c.each {
		if first := uint64(i); count > number && first < c.ranks {
			all += (c.ranks-1-first)/n + 1
		}
	}
	return all
}

func (c list) total() uint64 {
	before, count := c.part(c.ranks - 1)
	return before + count
}

// sum returns the sum of the numbers.
func sum(numbers []uint64) (total uint64) {
	for _, n := range numbers {
		total += n
	}
	return total
}

// ladder has the counts base, base + 1, ... base + modulus - 1, and from base on again.
type ladder struct{ ranks, base, modulus uint64 }

func (c ladder) checked() (counter, error) {
	highest := min(c.ranks, c.modulus) - 1
	if largest := max(c.base, highest); largest > math.MaxInt64 {
		return c, checkSum(c.ranks, largest)
	}
	return c, checkSum(c.ranks, c.base+highest)
}

func (c ladder) part(rank uint64) (before, count uint64) {
	whole, step := rank/c.modulus, rank%c.modulus
	return rank*c.base + whole*triangle(c.modulus) + triangle(step), c.base + step
}

// triangle returns the sum of 0 to n - 1.
func triangle(n uint64) uint64 {
	if n%2 == 0 {
		return n / 2 * (n - 1)
	}
	return (n - 1) / 2 * n
}

func (c ladder) beyond(number uint64) uint64 {
	if number < c.base {
		return c.ranks
	}
	whole, rest := c.ranks/c.modulus, c.ranks%c.modulus
	least := number - c.base + 1 // of the steps
	return whole*(c.modulus-min(least, c.modulus)) + rest - min(least, rest)
}

func (c ladder) total() uint64 {
	before, count := c.part(c.ranks - 1)
	return before + count
}

// evenly has counts whose sum is all, as even as possible.
type evenly struct{ ranks, all uint64 }

func (c evenly) part(rank uint64) (before, count uint64) {
	from, to := Share(c.all, rank, c.ranks)
	return from, to - from
}

func (c evenly) total() uint64 { return c.all }

func (c evenly) beyond(number uint64) uint64 {
	switch each := c.all / c.ranks; {
	case number < each:
		return c.ranks
	case number == each:
		return c.all % c.ranks
	}
	return 0
}

// rows is rule Concat.
type rows struct {
	space
	counter
	unit  uint64 // number of rows
	piece uint64 // see Rule
}

func (r Rule) rows(s space) (parts, error) {
	if err := r.checkParameters(); err != nil {
		return nil, err
	}
	unit := max(1, r.Unit)
	c, err := r.counter(s.ranks, s.dims[0]/unit)
	if err != nil {
		return nil, err
	}
	over, n := bits.Mul64(c.total(), unit)
	if over != 0 {
		n = math.MaxUint64
	}
	if err := checkSum(1, n); err != nil {
		return nil, err
	}
	if n > s.dims[0] {
		return nil, fmt.Errorf("the counts of %d processes need an extent of %d in the first dimension, which has %d: "+
			"leave it out, or make it larger", s.ranks, n, s.dims[0])
	}
	return rows{s, c, unit, r.Piece}, nil
}

func (r rows) selection(rank uint64) (pattern.Selection, error) {
	before, count := r.part(rank)
	if r.piece > count {
		before, count = 0, 0
	} else if r.piece > 0 {
		before, count = before+r.piece-1, 1
	}
	return r.band(0, before*r.unit, (before+count)*r.unit)
}

func (r rows) allElements() uint64 {
	n := r.total()
	if r.piece > 0 {
		n = r.counter.(listCounter).beyond(r.piece - 1)
	}
	return n * r.unit * r.rest(0)
}
