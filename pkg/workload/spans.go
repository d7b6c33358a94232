package workload

import (
	"iter"
	"slices"
)

// rangeMap tells something of numbers: what has been set for stretches of them. Neighbours of which the same is told
// are one stretch, so that there are as many stretches as differences, not as numbers.
type rangeMap[T comparable] struct{ all []valueRange[T] }

// valueRange is a stretch of numbers, from the first one to the one before the end.
type valueRange[T comparable] struct {
	from, to uint64
	value    T
}

// setRange tells a value of numbers, in place of what was told of them.
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

// touchingRanges returns the stretches, from first to before last, that have some of the numbers or are beside them.
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

// rangesWithin yields the stretches of numbers with what is told of them; for those of which nothing was told, that is
// the zero value.
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
