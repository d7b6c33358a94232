package workload

import (
	"errors"
	"fmt"
	"slices"

	"h5perf/pkg/pattern"
)

// slabParts implements rule Slab.
func (r Rule) slabParts(s sharedDataset) (rankParts, error) {
	r.Grid = slices.Repeat([]uint64{1}, len(s.dims))
	r.Grid[0] = s.ranks
	return r.blockParts(s)
}

// blockParts implements rule Block. An idle process leaves its block to the next process, if there is one.
func (r Rule) blockParts(s sharedDataset) (rankParts, error) {
	grid, err := dimsCreate(s.ranks, len(s.dims), r.Grid)
	if err == nil && r.Idle == 1 {
		err = errors.New("one of each 1 processes is idle: give a number from 2 on, or 0 for none")
	}
	return rankParts{s.numElements(), func(rank uint64) (pattern.Selection, error) {
		start, extent := s.blockOfRank(grid, rank)
		switch {
		case r.Idle == 0, rank%r.Idle > 1, rank%r.Idle == 0 && rank+1 == s.ranks:
			return s.selectBoxes(start, extent)
		case rank%r.Idle == 0:
			return pattern.SelectNothing(s.dims, s.elementBytes)
		}
		first, size := s.blockOfRank(grid, rank-1)
		if joinBoxes(first, size, start, extent) {
			return s.selectBoxes(first, size)
		}
		return s.selectBoxes(append(first, start...), append(size, extent...))
	}}, err
}

// blockOfRank returns the block of a process. Processes are numbered in row-major order, as in MPI_Cart_create.
func (s sharedDataset) blockOfRank(grid []uint64, rank uint64) (start, extent []uint64) {
	start, extent = make([]uint64, len(grid)), make([]uint64, len(grid))
	for d, n := range slices.Backward(grid) {
		from, to := EvenShare(s.dims[d], rank%n, n)
		start[d], extent[d] = from, to-from
		rank /= n
	}
	return start, extent
}

// joinBoxes enlarges the first box by the second one, if together they are one box. It reports whether it did so: the
// boxes must differ in one dimension only, in which the second box follows the first.
func joinBoxes(start, extent, next, more []uint64) bool {
	dim := -1
	for d := range start {
		switch {
		case start[d] == next[d] && extent[d] == more[d]:
		case dim < 0 && start[d]+extent[d] == next[d]:
			dim = d
		default:
			return false
		}
	}
	if dim >= 0 {
		extent[dim] += more[dim]
	}
	return dim >= 0
}

// BlockGrid returns the grid that rule Block chooses: the number of blocks in each of dims dimensions.
func BlockGrid(ranks uint64, dims int) []uint64 {
	grid, _ := dimsCreate(ranks, dims, nil) // errors are only about given numbers
	return grid
}

// dimsCreate returns the number of blocks in each dimension for a number of processes. given has the numbers that the
// user gave for the last dimensions, with 0 for a number that dimsCreate chooses. If given is not empty, the dimensions
// before them are not divided. The chosen numbers are as close to each other as possible, and do not increase, as in
// MPI_Dims_create (MPI-3.1, section 7.5.2). To choose them, it goes through the prime factors from the largest to the
// smallest, and multiplies the smallest number so far by each.
func dimsCreate(ranks uint64, dims int, given []uint64) ([]uint64, error) {
	if len(given) > dims {
		return nil, fmt.Errorf("grid %v for %d dimensions: give a number for each, 0 for those to choose", given,
			dims)
	}
	grid := make([]uint64, dims)
	if len(given) > 0 {
		grid = slices.Concat(slices.Repeat([]uint64{1}, dims-len(given)), given)
	}
	var free []int // dimensions to choose
	left := ranks
	for d, n := range grid {
		switch {
		case n == 0:
			free, grid[d] = append(free, d), 1
		case left%n != 0:
			return nil, fmt.Errorf("grid %v for %d processes: the product must divide their number", given, ranks)
		default:
			left /= n
		}
	}
	if len(free) == 0 && left != 1 {
		return nil, fmt.Errorf("grid %v has %d blocks for %d processes: give 0 for a number to choose", given,
			ranks/left, ranks)
	}
	chosen := slices.Repeat([]uint64{1}, len(free))
	for _, prime := range slices.Backward(primeFactors(left)) {
		chosen[slices.Index(chosen, slices.Min(chosen))] *= prime
	}
	slices.Sort(chosen)
	for i, n := range slices.Backward(chosen) {
		grid[free[len(free)-1-i]] = n
	}
	return grid, nil
}

// primeFactors returns the prime factors of a number in ascending order.
func primeFactors(n uint64) []uint64 {
	var factors []uint64
	for p := uint64(2); p <= n/p; p++ {
		for n%p == 0 {
			factors = append(factors, p)
			n /= p
		}
	}
	if n > 1 {
		factors = append(factors, n)
	}
	return factors
}
