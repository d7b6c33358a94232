package workload

import (
	"fmt"
	"math"
	"slices"

	"h5perf/pkg/pattern"
)

// perCell is the number of runs in a cell.
const perCell = 16

// mostRuns is the number of runs or rows that rules Map and Random give a process at most: they are in memory.
const mostRuns = 1 << 22

// listed returns an error if n runs or rows, dealt to some processes, are too many for one.
func listed(what string, n, ranks uint64) error {
	if _, most := Share(n, 0, ranks); most > mostRuns { // the first process has the most
		return fmt.Errorf("%d %s for a process: there can be %d at most; use more processes, or fewer %s", most, what,
			mostRuns, what)
	}
	return nil
}

// scatter is rule Map. It cuts a dimension into cells of 16 times the mean length of a run. A cell is cut at 15
// different places, drawn for this cell only, so that any run can be computed alone. All sets of 15 places are
// equally likely: lengths have the geometric distribution, given that those of a cell add up to its length. What is
// left after the last whole cell is a cell with fewer runs. A random permutation of the runs is dealt to the
// processes, as many to each.
//
// So the parts are like those of a climate model along a space-filling curve: many runs of a few elements.
type scatter struct {
	length uint64 // of the dimension
	mean   uint64 // length of a run
	seed   uint64
	cells  uint64 // whole ones
	runs   uint64 // of all processes
}

// scatter is rule Map.
func (r Rule) scatter(s space) (parts, error) {
	d, err := r.dim(s)
	if err != nil {
		return parts{}, err
	}
	if r.Length == 0 || r.Length > math.MaxUint32 {
		return parts{}, fmt.Errorf("runs with a mean length of %d: give a length from 1 to %d", r.Length,
			uint64(math.MaxUint32))
	}
	m := scatter{length: s.dims[d], mean: r.Length, seed: r.Seed}
	cell := perCell * m.mean
	m.cells = m.length / cell
	m.runs = m.cells*perCell + (m.length%cell+m.mean-1)/m.mean
	order := NewPermutation(m.runs, r.Seed)
	return parts{s.elements(), func(rank uint64) (pattern.Selection, error) {
		return s.bands(d, m.bands(order.part(0, m.runs, rank, s.ranks))...)
	}}, listed("runs", m.runs, s.ranks)
}

// bands returns where runs begin and end.
func (m scatter) bands(runs []uint64) []uint64 {
	var cell [perCell + 1]uint64
	bands := make([]uint64, 0, 2*len(runs))
	for i, run := range runs {
		if i == 0 || run/perCell != runs[i-1]/perCell {
			cell = m.ends(run / perCell)
		}
		bands = append(bands, cell[run%perCell], cell[run%perCell+1])
	}
	return bands
}

// ends returns where the runs of a cell begin and end: from the first one's begin to the last one's end.
func (m scatter) ends(cell uint64) [perCell + 1]uint64 {
	begin := cell * perCell * m.mean
	length, n := perCell*m.mean, uint64(perCell)
	if cell == m.cells {
		length, n = m.length-begin, m.runs-m.cells*perCell
	}
	// R. W. Floyd's sample without replacement (J. Bentley, R. W. Floyd, A sample of brilliance, 1987) of n - 1
	// numbers from 1 to length - 1.
	var all [perCell + 1]uint64
	ends := all[:1]
	for j := length - n + 1; j < length; j++ {
		cut := 1 + mix(m.seed, forCuts, cell, j)%j
		if slices.Contains(ends, cut) {
			cut = j
		}
		ends = append(ends, cut)
	}
	ends = append(ends, length)
	slices.Sort(ends)
	for i := range ends {
		ends[i] += begin
	}
	return all
}
