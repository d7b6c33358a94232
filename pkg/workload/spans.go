package workload

import (
	"iter"
	"slices"
)

// spans tells something of numbers: what has been set for stretches of them. Neighbours of which the same is told are
// one stretch, so that there are as many stretches as differences, not as numbers.
type spans[T comparable] struct{ all []span[T] }

// span is a stretch of numbers, from the first one to the one before the end.
type span[T comparable] struct {
	from, to uint64
	value    T
}

// set tells a value of numbers, in place of what was told of them.
func (s *spans[T]) set(from, to uint64, value T) {
	if from >= to {
		return
	}
	first, last := s.touching(from, to)
	middle := make([]span[T], 0, 3)
	add := func(n span[T]) {
		if end := len(middle) - 1; end >= 0 && middle[end].value == n.value {
			middle[end].to = max(middle[end].to, n.to)
		} else {
			middle = append(middle, n)
		}
	}
	if first < last && s.all[first].from < from {
		add(span[T]{s.all[first].from, from, s.all[first].value})
	}
	add(span[T]{from, to, value})
	if first < last && s.all[last-1].to > to {
		add(span[T]{to, s.all[last-1].to, s.all[last-1].value})
	}
	s.all = slices.Replace(s.all, first, last, middle...)
}

// touching returns the stretches, from first to before last, that have some of the numbers or are beside them.
func (s *spans[T]) touching(from, to uint64) (first, last int) {
	first, _ = slices.BinarySearchFunc(s.all, from, func(n span[T], at uint64) int {
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

// of yields the stretches of numbers with what is told of them; for those of which nothing was told, that is the zero
// value.
func (s *spans[T]) of(from, to uint64) iter.Seq[span[T]] {
	return func(yield func(span[T]) bool) {
		first, last := s.touching(from, to)
		at := from
		for _, n := range s.all[first:last] {
			if n.to <= at || n.from >= to || from == to {
				continue
			}
			if n.from > at && !yield(span[T]{from: at, to: n.from}) {
				return
			}
			at = max(at, n.from)
			end := min(n.to, to)
			if !yield(span[T]{at, end, n.value}) {
				return
			}
			at = end
		}
		if at < to {
			yield(span[T]{from: at, to: to})
		}
	}
}
