package workload

import (
	"fmt"
	"math"
	"slices"

	"h5perf/pkg/pattern"
)

// runsPerCell is the number of runs in a cell: see mapDivision.
const runsPerCell = 16

// maxRunsOfRank is the largest number of runs or rows of a process in rules Map and Random. They are in memory.
const maxRunsOfRank = 1 << 22

// checkRunsPerRank returns an error if n runs or rows, dealt to this number of processes, are too many for one process.
func checkRunsPerRank(what string, n, ranks uint64) error {
	if _, most := EvenShare(n, 0, ranks); most > maxRunsOfRank { // the first process has the largest number
		return fmt.Errorf("%d %s for a process: there can be %d at most; use more processes, or fewer %s", most, what,
			maxRunsOfRank, what)
	}
	return nil
}

// mapDivision implements rule Map. It cuts a dimension into cells of 16 times the mean length of a run. A cell is cut
// into runs at 15 different places, drawn for this cell only, so that any run can be computed alone. All sets of 15
// places are equally likely: lengths have the geometric distribution, given that those of a cell add up to its length.
// The rest after the last whole cell is a cell with fewer runs. A random permutation of the runs is dealt evenly to the
// processes.
//
// So the parts resemble those of a climate model along a space-filling curve: many runs of a few elements.
type mapDivision struct {
	length uint64 // of the dimension
	mean   uint64 // length of a run
	seed   uint64
	cells  uint64 // number of whole cells
	runs   uint64 // number of runs of all processes
}

// mapParts implements rule Map.
func (r Rule) mapParts(s sharedDataset) (rankParts, error) {
	d, err := r.dimension(s)
	if err != nil {
		return rankParts{}, err
	}
	if r.Length == 0 || r.Length > math.MaxUint32 {
		return rankParts{}, fmt.Errorf("runs with a mean length of %d: give a length from 1 to %d", r.Length,
			uint64(math.MaxUint32))
	}
	m := mapDivision{length: s.dims[d], mean: r.Length, seed: r.Seed}
	cell := runsPerCell * m.mean
	m.cells = m.length / cell
	m.runs = m.cells*runsPerCell + (m.length%cell+m.mean-1)/m.mean
	order := NewPermutation(m.runs, r.Seed)
	return rankParts{s.numElements(), func(rank uint64) (pattern.Selection, error) {
		return s.selectBands(d, m.boundsOfRuns(order.numbersOfRank(0, m.runs, rank, s.ranks))...)
	}}, checkRunsPerRank("runs", m.runs, s.ranks)
}

// boundsOfRuns returns the begin and the end of each run.
func (m mapDivision) boundsOfRuns(runs []uint64) []uint64 {
	var cell [runsPerCell + 1]uint64
	bands := make([]uint64, 0, 2*len(runs))
	for i, run := range runs {
		if i == 0 || run/runsPerCell != runs[i-1]/runsPerCell {
			cell = m.boundsOfCell(run / runsPerCell)
		}
		bands = append(bands, cell[run%runsPerCell], cell[run%runsPerCell+1])
	}
	return bands
}

// boundsOfCell returns the begin of the first run of a cell, and the end of each run.
func (m mapDivision) boundsOfCell(cell uint64) [runsPerCell + 1]uint64 {
	begin := cell * runsPerCell * m.mean
	length, n := runsPerCell*m.mean, uint64(runsPerCell)
	if cell == m.cells {
		length, n = m.length-begin, m.runs-m.cells*runsPerCell
	}
	// R. W. Floyd's sample without replacement (J. Bentley, R. W. Floyd, A sample of brilliance, 1987): n - 1 numbers
	// from 1 to length - 1.
	var all [runsPerCell + 1]uint64
	ends := all[:1]
	for j := length - n + 1; j < length; j++ {
		cut := 1 + randomNumber(m.seed, seedForCuts, cell, j)%j
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
