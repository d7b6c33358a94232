package watch

import (
	"maps"
	"slices"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// Notice is an error that ends the run, and the ranks that have reported one.
type Notice struct {
	Error result.Error `json:"error"` // the first one
	From  Ranks        `json:"from"`  // that have reported an error of their own
}

// NewNotice returns the notice of one rank. The error may be that of another rank, on which they have agreed.
func NewNotice(e result.Error, rank int) Notice {
	n := Notice{Error: e, From: Ranks{}}
	if e.Rank == rank {
		n.From[rank] = struct{}{}
	}
	return n
}

// Add adds a notice that came later.
func (n *Notice) Add(later Notice) { maps.Copy(n.From, later.From) }

// Clone returns a copy that does not change with the notice.
func (n *Notice) Clone() Notice { return Notice{n.Error, maps.Clone(n.From)} }

// Failure returns the first error, with the number of ranks that have failed.
func (n *Notice) Failure() result.Error {
	e := n.Error
	e.Ranks = max(e.Ranks, len(n.From))
	return e
}

// Ranks is a set of ranks. As text, it is a list of ranges.
type Ranks map[int]struct{}

// MarshalText returns the text of the set.
func (r Ranks) MarshalText() ([]byte, error) {
	return []byte(units.FormatRanges(slices.Sorted(maps.Keys(r)))), nil
}

// UnmarshalText reads the text of a set.
func (r *Ranks) UnmarshalText(text []byte) error {
	numbers, err := units.ParseRanges(string(text))
	*r = Ranks{}
	for _, n := range numbers {
		(*r)[n] = struct{}{}
	}
	return err
}
