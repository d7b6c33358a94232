package rule

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"h5perf/pkg/pattern"
)

// counter is a number of rows for each process.
type counter interface {
	total() uint64
	part(rank uint64) (before, count uint64) // rows of the processes before, and of this one
	extremes() (least, most uint64, expected bool)
}

func (r Rule) counter(ranks uint64) (counter, error) {
	switch r.Counts {
	case Equal:
		return list{ranks, []uint64{r.Count}}.checked()
	case Modulo:
		if r.Modulus == 0 {
			return nil, errors.New("counts modulo 0: give a modulus from 1 on")
		}
		return ladder{ranks, r.Base, r.Modulus}.checked()
	case Normal:
		return normal{ranks, r.Mean, r.Deviation, func(first, n uint64) float64 {
			return deviate(r.Seed, first, n)
		}}.checked()
	case List:
		if len(r.Each) == 0 {
			return nil, errors.New("a list without counts: give one or more")
		}
		return list{ranks, r.Each}.checked()
	}
	return nil, fmt.Errorf("unknown counts %q%s", r.Counts, didYouMean(r.Counts, []Counts{
		Equal, Modulo, Normal,
		List,
	}))
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

func (c list) total() uint64 {
	before, count := c.part(c.ranks - 1)
	return before + count
}

func (c list) extremes() (least, most uint64, expected bool) {
	used := c.each[:min(uint64(len(c.each)), c.ranks)]
	return slices.Min(used), slices.Max(used), false
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

func (c ladder) total() uint64 {
	before, count := c.part(c.ranks - 1)
	return before + count
}

func (c ladder) extremes() (least, most uint64, expected bool) {
	return c.base, c.base + min(c.ranks, c.modulus) - 1, false
}

// rows is rule Concat.
type rows struct {
	space
	counter
}

func (r Rule) rows(s space) (parts, error) {
	c, err := r.counter(s.ranks)
	if err != nil {
		return nil, err
	}
	if n := c.total(); n > s.dims[0] {
		return nil, fmt.Errorf("the counts of %d processes need an extent of %d in the first dimension, which has %d: "+
			"leave it out, or make it larger", s.ranks, n, s.dims[0])
	}
	return rows{s, c}, nil
}

func (r rows) selection(rank uint64) (pattern.Selection, error) {
	before, count := r.part(rank)
	return r.band(0, before, before+count)
}

func (r rows) load() Load {
	row, n := r.rest(0), r.total()
	least, most, expected := r.extremes()
	l := Load{Bytes: n * row, Least: least * row, Most: most * row, Expected: expected}
	if l.Bytes > 0 {
		l.Runs = 1
	}
	l.Cover = covers(l.Bytes, r.elements())
	return l
}

// covers returns what it means that so many of all elements belong to processes.
func covers(some, all uint64) Cover {
	switch some {
	case all:
		return Once
	case 0:
		return Nothing
	}
	return Part
}
