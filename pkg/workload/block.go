package workload

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"h5perf/pkg/pattern"
)

// blocks are rules Block and Slab.
type blocks struct {
	space
	grid []uint64
	idle uint64 // see Rule
}

// blocks returns the blocks of processes, of which some may be idle.
func (r Rule) blocks(s space) (parts, error) {
	grid, err := dimsCreate(s.ranks, len(s.dims), r.Grid)
	if err == nil && r.Idle == 1 {
		err = errors.New("one of each 1 processes is idle: give a number from 2 on, or 0 for none")
	}
	return blocks{s, grid, r.Idle}, err
}

// GridOf returns the number of blocks in each of so many dimensions that Block chooses for a number of processes.
func GridOf(ranks uint64, dims int) []uint64 {
	grid, _ := dimsCreate(ranks, dims, nil) // an error is about numbers that are given
	return grid
}

// dimsCreate returns the number of blocks in each dimension for a number of processes. Those that are given, for the
// last dimensions, and not 0 are kept; then dimensions before them are not divided. The others are as close to each
// other as factors of the number allow, and do not increase: as of MPI_Dims_create (MPI-3.1, section 7.5.2). It deals
// prime factors, the largest one first, each to the smallest product.
func dimsCreate(ranks uint64, dims int, given []uint64) ([]uint64, error) {
	if len(given) > dims {
		return nil, fmt.Errorf("grid %v for %d dimensions: give a number for each, 0 for those to choose", given,
			dims)
	}
	grid := make([]uint64, dims)
	if n := dims - len(given); n < dims {
		copy(grid, slices.Repeat([]uint64{1}, n))
		copy(grid[n:], given)
	}
	var chosen []uint64
	left := ranks
	for _, n := range grid {
		switch {
		case n == 0:
			chosen = append(chosen, 1)
		case left%n != 0:
			return nil, fmt.Errorf("grid %v for %d processes: the product must divide their number", given, ranks)
		default:
			left /= n
		}
	}
	if len(chosen) == 0 && left != 1 {
		return nil, fmt.Errorf("grid %v has %d blocks for %d processes: give 0 for a number to choose", given,
			ranks/left, ranks)
	}
	if len(chosen) > 0 {
		for _, prime := range slices.Backward(primes(left)) {
			smallest := 0
			for i, n := range chosen {
				if n < chosen[smallest] {
					smallest = i
				}
			}
			chosen[smallest] *= prime
		}
	}
	slices.Sort(chosen)
	for d, n := range grid {
		if n == 0 {
			grid[d] = chosen[len(chosen)-1]
			chosen = chosen[:len(chosen)-1]
		}
	}
	return grid, nil
}

// primes returns the prime factors of a number in ascending order.
func primes(n uint64) []uint64 {
	var factors []uint64
	for p := uint64(2); ; p++ {
		if over, square := bits.Mul64(p, p); over != 0 || square > n {
			break
		}
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

func (b blocks) selection(rank uint64) (pattern.Selection, error) {
	start, extent := b.block(rank)
	switch {
	case b.idle == 0, rank%b.idle > 1, rank%b.idle == 0 && rank+1 == b.ranks:
		return b.box(start, extent)
	case rank%b.idle == 0:
		return pattern.Nothing(b.dims, b.element)
	}
	first, size := b.block(rank - 1)
	switch {
	case product(extent) == 0:
		return b.box(first, size)
	case product(size) == 0:
		return b.box(start, extent)
	}
	if d, is := b.joins(first, size, start, extent); is {
		size[d] += extent[d]
		return b.box(first, size)
	}
	return pattern.Union(b.dims, b.element, append(first, start...), append(size, extent...))
}

func (b blocks) allElements() uint64 { return b.elements() }

// block returns the block of a process. They are numbered in row-major order, as MPI_Cart_create does.
func (b blocks) block(rank uint64) (start, extent []uint64) {
	start, extent = make([]uint64, len(b.dims)), make([]uint64, len(b.dims))
	for d, n := range slices.Backward(b.grid) {
		from, to := Share(b.dims[d], rank%n, n)
		start[d], extent[d] = from, to-from
		rank /= n
	}
	return start, extent
}

// joins reports whether two blocks are one, as they differ in one dimension only, where the second one follows the
// first one.
func (b blocks) joins(start, extent, next, more []uint64) (dim int, is bool) {
	dim = -1
	for d := range b.dims {
		switch {
		case start[d] == next[d] && extent[d] == more[d]:
		case dim < 0 && start[d]+extent[d] == next[d]:
			dim = d
		default:
			return 0, false
		}
	}
	return dim, dim >= 0
}
