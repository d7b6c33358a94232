package workload

import (
	"fmt"
	"math/bits"
	"slices"

	"h5perf/pkg/pattern"
)

// blocks are rules Block and Slab.
type blocks struct {
	space
	grid []uint64
}

// divided returns the blocks of processes, of which some may be idle.
func (r Rule) divided(s space) (parts, error) {
	grid, err := dimsCreate(s.ranks, len(s.dims), r.Grid)
	b := blocks{s, grid}
	if r.Idle == 0 || err != nil {
		return b, err
	}
	return r.idle(b)
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

// selection numbers the blocks in row-major order, as MPI_Cart_create does.
func (b blocks) selection(rank uint64) (pattern.Selection, error) {
	return b.box(b.block(rank))
}

// block returns the block of a process.
func (b blocks) block(rank uint64) (start, extent []uint64) {
	start, extent = make([]uint64, len(b.dims)), make([]uint64, len(b.dims))
	for d, n := range slices.Backward(b.grid) {
		from, to := Share(b.dims[d], rank%n, n)
		start[d], extent[d] = from, to-from
		rank /= n
	}
	return start, extent
}

func (b blocks) load() Load {
	l := Load{Bytes: b.elements()}
	l.among(b.ranks, counted(b), 0, b.ranks-1) // the first block is the largest one, the last one the smallest
	return l
}

// counted returns a function that counts elements and runs of a process. It is for parts of one box.
func counted(p parts) func(rank uint64) (elements, runs uint64) {
	return func(rank uint64) (elements, runs uint64) {
		s, _ := p.selection(rank) // of a valid rule, hence without error
		return s.Elements(), s.RunCount()
	}
}
