package workload

import (
	"iter"
	"slices"
)

// rangeMap maps numbers to values that were set for ranges of numbers. Neighbouring ranges with equal values are
// merged, so that memory depends on the number of changes of the value, not of numbers.
type rangeMap[T comparable] struct{ all []valueRange[T] }

// valueRange is the range of numbers [from, to), with their value.
type valueRange[T comparable] struct {
	from, to uint64
	value    T
}

// setRange sets the value of the numbers [from, to).
func (s *rangeMap[T]) setRange(from, to uint64, value T) {
	if from >= to {
		return
	}
	first, last := s.touchingRanges(from, to)
	middle := make([]valueRange[T], 0, 3)
	add := func(n valueRange[T]) {
		if end := len(middle) - 1; end >= 0 && middle[end].value == n.value {
			middle[end].to = max(middle[end].to, n.to)
		} else {
			middle = append(middle, n)
		}
	}
	if first < last && s.all[first].from < from {
		add(valueRange[T]{s.all[first].from, from, s.all[first].value})
	}
	add(valueRange[T]{from, to, value})
	if first < last && s.all[last-1].to > to {
		add(valueRange[T]{to, s.all[last-1].to, s.all[last-1].value})
	}
	s.all = slices.Replace(s.all, first, last, middle...)
}

// touchingRanges returns the indices [first, last) of the ranges that overlap the range [from, to), or are adjacent to
// it.
func (s *rangeMap[T]) touchingRanges(from, to uint64) (first, last int) {
	first, _ = slices.BinarySearchFunc(s.all, from, func(n valueRange[T], at uint64) int {
		if n.to < at {
			return -1
		}
		return 1
	})
	for last = first; last < len(s.all) && s.all[last].from <= to; last++ {
		continue
	}
	return first, last
}

// rangesWithin yields ranges that cover the numbers [from, to), with their values. Numbers without a value have the
// zero value.
func (s *rangeMap[T]) rangesWithin(from, to uint64) iter.Seq[valueRange[T]] {
	return func(yield func(valueRange[T]) bool) {
		first, last := s.touchingRanges(from, to)
		at := from
		for _, n := range s.all[first:last] {
			if n.to <= at || n.from >= to || from == to {
				continue
			}
			if n.from > at && !yield(valueRange[T]{from: at, to: n.from}) {
				return
			}
			at = max(at, n.from)
			end := min(n.to, to)
			if !yield(valueRange[T]{at, end, n.value}) {
				return
			}
			at = end
		}
		if at < to {
			yield(valueRange[T]{from: at, to: to})
		}
	}
}
