package watch

import (
	"maps"
	"slices"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// ErrorNotice is an error that ends the run, with the ranks that have failed.
type ErrorNotice struct {
	Error result.Error `json:"error"` // the first error
	From  RankSet      `json:"from"`  // ranks that have reported an error of their own
}

// NewNotice returns the notice that the process with the given rank sends. If all ranks have agreed on an error, e may
// be the error of another rank; then From is empty.
func NewNotice(e result.Error, rank int) ErrorNotice {
	n := ErrorNotice{Error: e, From: RankSet{}}
	if e.Rank == rank {
		n.From[rank] = struct{}{}
	}
	return n
}

// Add merges a later notice into n. n keeps its error.
func (n *ErrorNotice) Add(later ErrorNotice) { maps.Copy(n.From, later.From) }

// Clone returns a copy of the notice. If Add is then called for one of the two notices, the other does not change.
func (n *ErrorNotice) Clone() ErrorNotice { return ErrorNotice{n.Error, maps.Clone(n.From)} }

// Failure returns the first error, with Ranks set to the number of ranks that have failed.
func (n *ErrorNotice) Failure() result.Error {
	e := n.Error
	e.Ranks = max(e.Ranks, len(n.From))
	return e
}

// RankSet is a set of ranks. Its text form is a list of ranges, such as 0-3,7.
type RankSet map[int]struct{}

// MarshalText implements encoding.TextMarshaler.
func (r RankSet) MarshalText() ([]byte, error) {
	return []byte(units.FormatRanges(slices.Sorted(maps.Keys(r)))), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *RankSet) UnmarshalText(text []byte) error {
	numbers, err := units.ParseRanges(string(text))
	*r = RankSet{}
	for _, n := range numbers {
		(*r)[n] = struct{}{}
	}
	return err
}
