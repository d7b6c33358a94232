package workload

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

// chooser is a counter that knows how many processes have more rows than a number.
type chooser interface {
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
	return nil, fmt.Errorf("unknown counts %q%s", r.Counts, didYouMean(r.Counts, AllCounts()))
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

func (c ladder) extremes() (least, most uint64, expected bool) {
	return c.base, c.base + min(c.ranks, c.modulus) - 1, false
}

// evenly has counts whose sum is all, as even as possible.
type evenly struct{ ranks, all uint64 }

func (c evenly) part(rank uint64) (before, count uint64) {
	from, to := Share(c.all, rank, c.ranks)
	return from, to - from
}

func (c evenly) total() uint64 { return c.all }

func (c evenly) extremes() (least, most uint64, expected bool) {
	return c.all / c.ranks, (c.all + c.ranks - 1) / c.ranks, false
}

func (c evenly) beyond(number uint64) uint64 {
	switch each := c.all / c.ranks; {
	case number < each:
		return c.ranks
	case number == each:
		return c.all % c.ranks
	}
	return 0
}

// units has counts of units of several rows.
type units struct {
	counter
	unit uint64
}

// units returns the counts of the rule in rows. all is the number of rows that normal counts without a mean deal.
func (r Rule) units(ranks, all uint64) (counter, error) {
	c, err := r.counter(ranks, all/max(1, r.Unit))
	if err != nil || r.Unit == 0 {
		return c, err
	}
	over, rows := bits.Mul64(c.total(), r.Unit)
	if over != 0 {
		rows = math.MaxUint64
	}
	return units{c, r.Unit}, checkSum(1, rows)
}

func (c units) part(rank uint64) (before, count uint64) {
	before, count = c.counter.part(rank)
	return before * c.unit, count * c.unit
}

func (c units) total() uint64 { return c.counter.total() * c.unit }

func (c units) extremes() (least, most uint64, expected bool) {
	least, most, expected = c.counter.extremes()
	return least * c.unit, most * c.unit, expected
}

// piece is rule Concat with one unit of each process that has it.
type piece struct {
	space
	chooser
	unit, index uint64
}

func (p piece) selection(rank uint64) (pattern.Selection, error) {
	before, count := p.part(rank)
	if p.index >= count {
		return p.band(0, 0, 0)
	}
	return p.band(0, (before+p.index)*p.unit, (before+p.index+1)*p.unit)
}

func (p piece) load() Load {
	users := p.beyond(p.index)
	one := p.unit * p.rest(0)
	l := Load{Bytes: users * one, Most: min(1, users) * one}
	if users == p.ranks {
		l.Least = one
	}
	if l.Bytes > 0 {
		l.Runs = 1
	}
	l.Cover = covers(l.Bytes, p.elements())
	return l
}

// rows is rule Concat.
type rows struct {
	space
	counter
}

func (r Rule) rows(s space) (parts, error) {
	c, err := r.units(s.ranks, s.dims[0])
	if err != nil {
		return nil, err
	}
	if n := c.total(); n > s.dims[0] {
		return nil, fmt.Errorf("the counts of %d processes need an extent of %d in the first dimension, which has %d: "+
			"leave it out, or make it larger", s.ranks, n, s.dims[0])
	}
	if r.Piece > 0 {
		inner, _ := r.counter(s.ranks, s.dims[0]) // it was checked
		return piece{s, inner.(chooser), max(1, r.Unit), r.Piece - 1}, nil
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
		return CoverOnce
	case 0:
		return CoverNothing
	}
	return CoverPart
}
